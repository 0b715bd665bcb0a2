#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# What C has and BTF cannot say: each costs a name or a member, is counted, and the rest of the unit
# is there. The running kernel is asked about each result. Nothing here may cost a unit: --strict.
. tests/lib.sh
. tests/lib_btf.sh

cd "$work" || exit 1

# chain COUNT FORMAT: the format for each number and the next one.
chain()
{
	awk -v count="$1" -v format="$2" 'BEGIN {
		for (i = 0; i < count; i++)
			printf format "\n", i, i + 1
	}'
}

# legal NAME LOSSES: encodes NAME.o to NAME.btf, with that many losses.
legal()
{
	if ! "$BTFENC" encode -j1 --strict -o "$1.btf" "$1.o" 2>"$1.err"; then
		not_ok "$1: encode --strict" "$1.err"
		return
	fi
	if [ "$2" -eq 0 ]; then
		expect "$1: encode, without a warning" test ! -s "$1.err"
	else
		[ "$(wc -l <"$1.err")" -eq 1 ] && lacks_line "instance \[" "$1.err" && grep -q \
			": $2 names, members, elements or lengths cannot be expressed in BTF" "$1.err"
		outcome $? "$1: encode warns of $2 losses, in one line" "$1.err"
	fi
	check_kernel "$1" "$1.btf" "$1.o"
	"$BTFENC" dump "$1.btf" >"$1.dump"
	"$BTFENC" stats "$1.o" --json >"$1.json"
	expect "$1: stats counts them" grep -q "\"inexpressible\": $2,*\$" "$1.json"
	"$BTFENC" encode -j4 -o "$1.again" "$1.o" 2>/dev/null
	expect "$1: the same bytes with -j4" same_text "$1.btf" "$1.again"
}

# says NAME LINES: the dump has these lines in a row; ids are written as N.
says()
{
	sed 's/^\[[0-9]*\]/[N]/; s/type_id=[1-9][0-9]*/type_id=N/' "$1.dump" |
		tr '\n' '|' >"$1.flat"
	grep -qF "$(printf '%s' "$2" | tr '\n' '|')" "$1.flat"
	outcome $? "$1: $(printf '%s' "$2" | head -n 1)" "$1.dump"
}

# compile NAME [OPTION]...: NAME.c with $cc
compile()
{
	compile_name=$1
	shift
	"$cc" -g -O1 "$@" -c -o "$compile_name.o" "$compile_name.c" 2>"$work/compile.err" && return
	not_ok "$compile_name: $cc compiles it" "$work/compile.err"
	return 1
}

# ---- names ----

long=$(printf '%0600d' 0 | tr 0 n)
tab=$(printf '\t')

cat >names.c <<EOF
struct a\$b { int x; struct a\$b *next; };
struct declared\$;
typedef int t\$;
enum e\$ { GOOD = 1, BAD\$ = 2, LAST = 3 };
struct größe { int länge; };
struct $long { int short_name; };
struct keep {
	int m\$; t\$ n; const t\$ *p; struct a\$b *q; struct declared\$ *f; enum e\$ e;
	struct größe g; struct $long l; int after;
};
struct in_both { int m\$; t\$ n; };
int takes(int p\$, struct keep *k) { return p\$ + k->after; }
int fine(struct keep *k, struct in_both *b) { return k->after + b->m\$; }
EOF

names_case()
{
	compile names || return
	legal names 10
	says names "[N] STRUCT '(anon)' size=16 vlen=2
$tab'x' type_id=N bits_offset=0
$tab'next' type_id=N bits_offset=64"
	says names "[N] ENUM '(anon)' encoding=UNSIGNED size=4 vlen=2
$tab'GOOD' val=1
$tab'LAST' val=3"
	says names "[N] STRUCT 'keep' size=48 vlen=9
$tab'(anon)' type_id=N bits_offset=0
$tab'n' type_id=N bits_offset=32
$tab'p' type_id=N bits_offset=64
$tab'q' type_id=N bits_offset=128
$tab'f' type_id=N bits_offset=192
$tab'e' type_id=N bits_offset=256"
	says names "[N] FUNC 'fine' type_id=N linkage=global"
	expect "names: a function with such a parameter has no FUNC" \
		lacks_line "FUNC 'takes'" names.dump
	expect "names: and is counted" grep -q '"unnamed-param": 1' names.json
	check_rules names names.btf
	# Its prototype is in the records alone.
	expect "names: with records of sites" \
		"$BTFENC" encode --strict --features +func_secinfo=inline -o sites.btf names.o
	expect "names: the records are good" "$BTFENC" check -b sites.btf sites.btf.extra
}

# ---- sizes ----

cat >sizes.c <<'EOF'
struct big { char a[5ull << 30]; int tail; };
struct outer { struct big b; int x; };
typedef struct big big_t;
typedef char huge[6ull << 30];
typedef int wide[1ull << 31];
typedef int table[1ull << 20][1ull << 20];
struct small {
	struct big *p; big_t *q; huge *h; wide *w; table *t; int after;
	struct { char z[5ull << 30]; } *anonymous; void (*by_value)(struct big);
};
/* Offsets have 24 bits where members have sizes of bit-fields. */
struct near { int bits : 3; char gap[3 << 20]; };
struct far { int bits : 3; char gap[3 << 20]; int far_member; char end; };
int use(struct small *s, struct outer *o, struct near *n, struct far *f)
{
	return s->after + o->x + n->bits + f->end;
}
EOF

sizes_case()
{
	compile sizes || return
	legal sizes 9
	says sizes "[N] FWD 'big' fwd_kind=struct"
	says sizes "[N] FWD 'outer' fwd_kind=struct"
	says sizes "[N] TYPEDEF 'big_t' type_id=N"
	says sizes "[N] TYPEDEF 'huge' type_id=0"
	says sizes "[N] TYPEDEF 'wide' type_id=0"
	says sizes "[N] TYPEDEF 'table' type_id=0"
	says sizes "[N] STRUCT 'small' size=64 vlen=8"
	says sizes "[N] STRUCT 'near' size=3145732 vlen=2
$tab'bits' type_id=N bits_offset=0 bitfield_size=3"
	says sizes "[N] STRUCT 'far' size=3145740 vlen=3
$tab'gap' type_id=N bits_offset=8
$tab'far_member' type_id=N bits_offset=25165856
$tab'end' type_id=N bits_offset=25165888"
	expect "sizes: no array has 0 elements in place of too many" \
		lacks_line 'nr_elems=0' sizes.dump
}

# ---- members ----

# A size of one bit, at an offset of 2 MiB: where there are no sizes, it is that bit of the offset.
cat >far_1.c <<'EOF'
struct s { int : 32; int x __attribute__((aligned(1 << 21))); int y __attribute__((aligned(1 << 22))); };
int first(struct s *s) { return s->x; }
EOF
cat >far_2.c <<'EOF'
struct s { int x : 1; int y __attribute__((aligned(1 << 22))); };
int second(struct s *s) { return s->y; }
EOF

far_case()
{
	compile far_1 && compile far_2 || return
	for order in 'far_1.o far_2.o' 'far_2.o far_1.o'; do
		# shellcheck disable=SC2086 # words
		ld -r -o far.o $order 2>/dev/null
		legal far 1
		expect "far: $order: two structs" test "$(grep -c "STRUCT 's'" far.dump)" = 2
	done
}

cat >floats.c <<'EOF'
typedef float f32;
struct __attribute__((packed)) p {
	char c; float f; f32 g; volatile double d; float whole[2]; int after;
};
struct aligned { char c; float f; };
float use(struct p *p, struct aligned *a) { return p->after + a->f; }
EOF

floats_case()
{
	compile floats || return
	legal floats 3
	says floats "[N] STRUCT 'p' size=29 vlen=6
$tab'c' type_id=N bits_offset=0
$tab'f' type_id=N bits_offset=8
$tab'g' type_id=N bits_offset=40
$tab'd' type_id=N bits_offset=72
$tab'whole' type_id=N bits_offset=136
$tab'after' type_id=N bits_offset=200"
	says floats "[N] INT 'float' size=4 bits_offset=0 nr_bits=32 encoding=(none)
[N] FLOAT 'float' size=4"
	says floats "[N] STRUCT 'aligned' size=8 vlen=2"
}

cat >bits.c <<'EOF'
enum wide { WIDE = 1ll << 40 };
struct __attribute__((packed)) s { int a : 3; unsigned __int128 b : 128; int c; };
struct e { enum wide x : 42; int after; };
int use(struct s *s, struct e *e) { return s->c + e->after; }
EOF

bits_case()
{
	compile bits || return
	# Clang 14 does not say that 128 bits are a bit-field; clang 19 and gcc do.
	if readelf --debug-dump=info bits.o 2>/dev/null | grep -q 'DW_AT_bit_size *: 128$'; then
		legal bits 2
		says bits "[N] STRUCT 's' size=21 vlen=2
$tab'a' type_id=N bits_offset=0 bitfield_size=3
$tab'c' type_id=N bits_offset=136"
	else
		legal bits 1
	fi
	says bits "[N] STRUCT 'e' size=16 vlen=1
$tab'after' type_id=N bits_offset="
}

# A component of a DECL_TAG counts the members, of which one is missing: the tag goes, too.
cat >tags.c <<'EOF'
#define tag(text) __attribute__((btf_decl_tag(text)))
enum wide { WIDE = 1ll << 40 };
struct s {
	int a; enum wide b : 42; int c tag("of a member");
} tag("of the struct");
struct other { int x, y tag("of y"); };
int use(struct s *s, struct other *o) { return s->c + o->y; }
EOF

tags_case()
{
	compile tags || return
	legal tags 1
	says tags "[N] DECL_TAG 'of the struct' type_id=N component_idx=-1"
	says tags "[N] DECL_TAG 'of y' type_id=N component_idx=1"
	expect "tags: none is on the wrong member" lacks_line "'of a member'" tags.dump
}

# ---- prototypes ----

cat >prototypes.c <<'EOF'
struct incomplete;
typedef void nothing;
typedef const void no_more;
struct ops {
	nothing (*a)(int); no_more (*b)(char); void (*c)(struct incomplete);
	struct incomplete (*d)(int); int after;
};
int use(struct ops *o) { return o->after; }
EOF

prototypes_case()
{
	compile prototypes || return
	legal prototypes 2
	says prototypes "[N] FUNC_PROTO '(anon)' ret_type_id=0 vlen=1"
	says prototypes "[N] STRUCT 'ops' size=40 vlen=5"
}

# ---- depth ----

{
	echo 'typedef int t0;'
	chain 120 'typedef t%d t%d;'
	echo 'struct holder { t120 x; const t120 *p; };'
	echo 'int use(struct holder *h) { return h->x + *h->p; }'
} >typedefs.c

# Pointers, pointers through typedefs, structs in structs, arrays, and cycles through all of them.
{
	echo "int $(printf '%060d' 0 | tr 0 '*')stars;"
	echo 'typedef int p0;'
	chain 60 'typedef p%d *p%d;'
	echo 'struct n0 { int x; };'
	awk 'BEGIN { for (i = 0; i < 60; i++) printf "struct n%d { struct n%d a; };\n", i + 1, i }'
	echo 'typedef int a0;'
	chain 60 'typedef a%d a%d[1];'
	echo 'typedef struct self *v0;'
	chain 100 'typedef v%d v%d;'
	echo 'typedef struct self2 w0;'
	chain 100 'typedef w%d w%d;'
	cat <<'EOF'
struct self { v100 next; const struct self *c; struct n60 n; const v100 *q; };
struct self2 { w100 *next; const w100 *c; struct self s; };
typedef w100 *wp;
struct self3 { wp p; p60 q; a60 r; int after; };
int use(struct self *s, struct self3 *t, w100 *x, p60 p) { return t->after; }
EOF
} >deep.c

depth_case()
{
	compile typedefs || return
	legal typedefs 0
	says typedefs "[N] STRUCT 'holder' size=16 vlen=2"
	"$BTFENC" check typedefs.btf >typedefs.check
	expect "typedefs: they cost the order of names" grep -q names-unsorted typedefs.check
	expect "typedefs: all 121 are there" test "$(grep -c ' TYPEDEF ' typedefs.dump)" -eq 121
	compile deep || return
	legal deep 0
	expect "deep: all typedefs are there" \
		test "$(grep -c " TYPEDEF '[pvw]" deep.dump)" -eq 264
	expect "deep: all structs are there" test "$(grep -c " STRUCT 'n" deep.dump)" -eq 61
}

# What pahole writes of it the kernel accepts, so no type may be missing here.
pahole_case()
{
	have pahole "typedefs: as many as pahole writes" || return
	pahole --btf_encode_detached=typedefs.pahole typedefs.o 2>/dev/null
	check_kernel "typedefs by pahole" typedefs.pahole typedefs.o
	expect "typedefs: as many as pahole writes" test \
		"$("$BTFENC" dump typedefs.pahole | grep -c ' TYPEDEF ')" -eq \
		"$(grep -c ' TYPEDEF ' typedefs.dump)"
}

# ---- split BTF, with such types on both sides ----

split_case()
{
	{
		cat names.c
		cat <<'EOT'
struct own { enum e$ e; struct größe *g; struct a$b *q; struct keep *k; int after; };
int use_own(struct own *o) { return o->k->after; }
EOT
	} >module.c
	compile module || return
	expect "split: encode" "$BTFENC" encode -j1 -b names.btf -o module.btf module.o
	expect "split: btfenc check" "$BTFENC" check -b names.btf module.btf
	"$BTFENC" dump -b names.btf module.btf >module.dump
	expect "split: a struct without some names is the base's" \
		lacks_line "STRUCT 'in_both'" module.dump
	expect "split: and what has no name, and what leads to that" \
		lacks_line "STRUCT '\(keep'\|(anon)'\)\|ENUM" module.dump
	says module "[N] STRUCT 'own' size=40 vlen=5"
	# Relocation goes by names, so what has none is the module's own.
	"$BTFENC" encode -j1 --features +distilled_base -b names.btf -o module.btf module.o 2>module.err
	expect "distilled: nothing is lost but the names" grep -q ": 10 names, members" module.err
	expect "distilled: btfenc check" "$BTFENC" check -b module.btf.base module.btf
	"$BTFENC" dump module.btf.base >base.dump
	expect "distilled: the base has what leads to a type without a name" grep -q "STRUCT 'keep'" base.dump
	expect "distilled: and no such type" lacks_line "(anon)" base.dump
	"$BTFENC" dump -b module.btf.base module.btf >module.dump
	says module "[N] STRUCT 'own' size=40 vlen=5
$tab'e' type_id=N bits_offset=0
$tab'g' type_id=N bits_offset=64
$tab'q' type_id=N bits_offset=128"
	expect "distilled: no pointer leads to nothing" lacks_line "PTR '(anon)' type_id=0" module.dump
}

# ---- Go ----

cat >cycles.go <<'EOF'
package main

type F func(F) F
type P *P
type S []S
type M map[string]M
type C chan C
type T struct {
	next *T
	f    F
	m    M
	p    P
	i    interface{ Do(T) }
	size int
}

func (t *T) Do(u T) { println(len(u.m), u.size) }

func main() {
	var t T
	var c C
	var s S
	t.f = func(f F) F { return f }
	t.Do(t)
	println(t.p, c, len(s))
}
EOF

go_case()
{
	have go "go: types in cycles" || return 0
	GOCACHE=$work/cache GO111MODULE=off \
		go build -ldflags=-compressdwarf=false -o cycles.o cycles.go 2>cycles.err ||
		{ not_ok "go: build" cycles.err; return; }
	"$BTFENC" encode -j1 -o cycles.btf cycles.o 2>cycles.err
	losses=$(sed -n 's/.*: \([0-9]*\) names, members.*/\1/p' cycles.err)
	legal cycles "${losses:-0}"
	says cycles "[N] TYPEDEF 'main.F' type_id=0"
	says cycles "[N] TYPEDEF 'main.P' type_id=N"
	says cycles "[N] STRUCT 'main.T' "
	rm -rf cache
}

# ---- C++ and Rust ----

# A base class after the pointer to the virtual functions, members that share bytes, and pointers to members.
cat >classes.cc <<'EOF'
struct base { int a; };
struct derived : base { virtual void f(); int d; };
struct empty {};
struct shared { int i; [[no_unique_address]] empty e; long l; };
struct by_virtue : virtual base { int x; };
struct pointers { int base::*data; char after; void (base::*function)(int); char last; };
derived d; shared s; by_virtue v; pointers p;
void derived::f() {}
extern "C" int takes_classes(derived &x, by_virtue *y, shared z) { return x.d + y->x + z.i; }
EOF
cat >fields.rs <<'EOF'
pub struct Fields { pub a: u8, pub width: u32, pub b: u64 }
#[no_mangle] pub fn takes_fields(r: &Fields) -> u64 { r.b + r.width as u64 + r.a as u64 }
EOF
cat >plain.c <<'EOF'
int plain(int a) { return a; }
EOF
as -g -o bare.o - <<'EOF'
	.globl bare
	.type bare, @function
bare:	ret
	.size bare, . - bare
	.section .note.GNU-stack
EOF

in_silence()
{
	"$@" >silence 2>&1 && cat silence && [ ! -s silence ]
}

# nothing CASE PATTERN FILE: encode refuses it, and under pahole's name it is left alone; what that says is in out.
nothing()
{
	cp "$3" "$3.same"
	"$BTFENC" encode "$3" 2>"$3.err"
	expect "$1: an error" test $? -eq 3
	expect "$1: which says what is there" grep -q "$2" "$3.err"
	"${BTFENC%/*}/pahole" -J "$3" >out 2>&1
	expect "$1: none under pahole's name" test $? -eq 0
	expect "$1: and no BTF" cmp "$3" "$3.same"
}

nothing 'assembler alone' 'no types (only assembler, or built with -g1?)$' bare.o
expect 'assembler alone: in silence' test ! -s out
for cc in gcc clang; do
	have $cc "-g1 by $cc" || continue
	$cc -g1 -O2 -c -o few.o plain.c
	nothing "-g1 by $cc" 'no types (built with -g1?); rebuild with -g$' few.o
	expect "-g1 by $cc: a warning" grep -q 'warning: few.o: .*-g1' out
done

# foreign LANGUAGE NAME STRUCT: NAME.o is encoded whole, and has the struct; next to C it is left out as a whole.
foreign()
{
	expect "$2: encode --strict --lang c,$1" \
		"$BTFENC" encode -j1 --strict --lang "c,$1" -o "$2.btf" "$2.o"
	"$BTFENC" dump "$2.btf" >"$2.dump"
	says "$2" "$3"
	check_rules "$2" "$2.btf"
	check_kernel "$2" "$2.btf" "$2.o"
	cp "$2.o" "$2.excluded.o"
	"$BTFENC" encode --lang-exclude "$1" "$2.excluded.o" 2>"$2.err"
	expect "$2: nothing is left of it without $1, and that is an error" test $? -eq 3
	# Under pahole's name it is not: Rust's modules are built with --lang_exclude=rust.
	expect "$2: under pahole's name it is left alone in silence" \
		in_silence "${BTFENC%/*}/pahole" -J --lang_exclude="$1" "$2.excluded.o"
	expect "$2: and has no BTF" cmp "$2.o" "$2.excluded.o"
	gcc -g -O2 -c plain.c && ld -r -o "$2.both.o" plain.o bare.o "$2.o" &&
		expect "$2: next to C it costs nothing" in_silence \
			"$BTFENC" encode --strict --lang-exclude "$1" -o "$2.both.btf" "$2.both.o"
	struct=${3#*\'} struct=${struct%%\'*}
	for of in "takes_${2%%-*}" "$struct" "struct $struct" "$struct.a"; do
		excluded "$2: $of is described, and left out" \
			"described in .* (.*), which is left out: .*--lang c,$1" "$of" "$2.both.o"
	done
	for of in bare "struct nowhere" nowhere; do
		excluded "$2: nothing describes $of" null "$of" "$2.both.o"
	done
}

# excluded CASE PATTERN NAME FILE: explain says where units have it that are left out; null: none has it.
excluded()
{
	"$BTFENC" explain --json "$3" "$4" >json
	"$BTFENC" explain "$3" "$4" >text
	expect "$1, by JSON" grep -q -e "\"excluded\": \"*$2" json
	if [ "$2" = null ]; then
		expect "$1" test "$(grep -c -e 'left out' -e 'may be' text)" -eq 0
	else
		expect "$1" grep -q -e "it is $2" text
	fi
}

for cc in g++ clang++; do
	have $cc "C++ by $cc" || continue
	name=classes-$cc
	if ! $cc -std=c++20 -g -O1 -c -o "$name.o" classes.cc 2>compile.err; then
		skip "$name" "$cc has no C++20"
		continue
	fi
	foreign c++ "$name" "[N] STRUCT 'shared' size=16 vlen=3
$tab'i' type_id=N bits_offset=0
$tab'e' type_id=N bits_offset=0
$tab'l' type_id=N bits_offset=64"
	says "$name" "[N] STRUCT 'pointers' size=40 vlen=4
$tab'data' type_id=N bits_offset=0
$tab'after' type_id=N bits_offset=64
$tab'function' type_id=N bits_offset=128
$tab'last' type_id=N bits_offset=256"
	expect "$name: a base class comes after the pointer" grep -A 2 "STRUCT 'derived' size=16 vlen=3" "$name.dump"
done
if have rustc "Rust" && rustc -g -O --emit=obj --crate-type=lib -o fields.o fields.rs 2>compile.err; then
	foreign rust fields "[N] STRUCT 'Fields' size=16 vlen=3
$tab'b' type_id=N bits_offset=0
$tab'width' type_id=N bits_offset=64
$tab'a' type_id=N bits_offset=96"
fi

for cc in gcc clang clang-22; do
	have $cc "legal C by $cc" || continue
	names_case
	sizes_case
	far_case
	floats_case
	bits_case
	prototypes_case
	depth_case
	# clang writes a typedef before its target, and of that the kernel rejects pahole's BTF.
	if [ $cc = gcc ]; then
		pahole_case
	else
		tags_case
	fi
	split_case
done
go_case
