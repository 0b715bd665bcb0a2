#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Files as they are installed: compressed modules, bzImage, EFI zboot, Image. Answers are those for what is in them;
# damaged and cut-off ones, and bombs, are refused in one line and without much memory.
#
# shellcheck disable=SC2086 # no name has blanks
. tests/lib.sh

pack()
{
	python3 "$tests/pack_image.py" "$@"
}

cd "$work" || exit 1
cat >kernel.c <<'EOT'
typedef unsigned long size_t;
struct sock { int state; struct sock *next; };
enum way { UP, DOWN };
int send(struct sock *sock, size_t bytes) { return sock->state + bytes; }
int turn(struct sock *sock, enum way way) { return sock->next->state - way; }
int main(void) { return 0; }
EOT
cat >module.c <<'EOT'
struct sock { int state; struct sock *next; };
struct own { struct sock sock; long more; };
int close_own(struct own *own) { return own->sock.state; }
EOT
mkdir plain
gcc -g -O2 -nostdlib -static -Wl,-e,main -o vmlinux kernel.c && gcc -g -O2 -c -o dwarf.ko module.c &&
	"$BTFENC" encode vmlinux && "$BTFENC" encode -o vmlinux.btf vmlinux && cp dwarf.ko plain/my.ko &&
	"$BTFENC" encode -b vmlinux plain/my.ko && strip -g plain/my.ko && cp vmlinux plain &&
	cp vmlinux stripped && strip stripped || exit 1

# compress FORMAT FROM TO
compress()
{
	case $1 in
	xz) xz --check=crc32 -c "$2" >"$3" ;;
	zst) zstd -q -c "$2" >"$3" ;;
	gz) gzip -c "$2" >"$3" ;;
	lz4) lz4 -q -l -c "$2" >"$3" ;;
	esac
}

# agree NAME FILE LIKE ARGUMENT...: what is said of FILE is what is said of LIKE; @ is the file.
agree()
{
	agree_name="packed: $1" agree_file=$2 agree_like=$3
	shift 3
	for agree_at in "$agree_like" "$agree_file"; do
		# Both have one name.
		rm -rf it && cp -r "$agree_at" it
		"$BTFENC" "$@" >out 2>&1
		echo "exit status $?" >>out
		sed -i "s/\.ko\.[a-z]*/.ko/g" out
		[ "$agree_at" = "$agree_file" ] || cp out expected
	done
	diff expected out >wrong && [ "$(wc -l <expected)" -gt 1 ]
	outcome $? "$agree_name" wrong
}

# all_agree NAME FILE LIKE: of all commands
all_agree()
{
	while read -r arguments; do
		# shellcheck disable=SC2086 # words
		agree "$1: $arguments" "$2" "$3" $arguments
	done <<-'EOT'
		check it
		dump it
		stats it
		list -f it
		explain struct sock it
		explain send it
		explain sock.next it stripped
		diff it vmlinux
		diff --types vmlinux it
		check -b it plain/my.ko
	EOT
}

formats='gz'
for format in xz zst lz4; do
	case $format in
	zst) tool=zstd ;;
	*) tool=$format ;;
	esac
	! have $tool "packed: $format" || formats="$formats $format"
done
for format in $formats; do
	compress $format vmlinux vmlinux.$format && compress $format stripped stripped.$format &&
		compress $format vmlinux.btf btf.$format && pack bzimage stripped.$format bzimage.$format &&
		pack image vmlinux.btf image && compress $format image image.$format &&
		pack zboot image.$format zboot.$format && compress $format dwarf.ko dwarf.$format &&
		compress $format plain/my.ko my.$format || exit 1
	if [ $format = zst ] && "$BTFENC" check vmlinux.zst 2>&1 | grep -q 'library that unpacks it is missing'; then
		skip "packed: $format" 'built without libzstd'
		formats=$(echo "$formats" | sed 's/ zst//')
		continue
	fi
	all_agree "ELF in $format" vmlinux.$format vmlinux
	all_agree "raw BTF in $format" btf.$format vmlinux.btf
	all_agree "bzImage with $format" bzimage.$format stripped
	all_agree "zboot with $format" zboot.$format vmlinux.btf
	agree "module in $format: check" my.$format plain/my.ko check -b vmlinux it
	agree "module in $format: dump" my.$format plain/my.ko dump -b vmlinux it
	agree "module in $format: list" my.$format plain/my.ko list -f it -b vmlinux
	agree "DWARF in $format" dwarf.$format dwarf.ko explain close_own it
	agree "DWARF in $format: diff" dwarf.$format dwarf.ko diff --types it dwarf.ko
	rm -rf folder && cp -r plain folder && rm folder/my.ko && compress $format plain/my.ko folder/my.ko.$format
	# An installed kernel has no other image.
	rm -rf installed && mkdir -p installed/boot installed/lib && cp bzimage.$format installed/boot/vmlinuz-6.1 &&
		cp plain/my.ko installed/lib
	agree "a directory with vmlinuz in $format" installed plain list -f it
	rm -rf same && cp -r plain same && cp stripped same/vmlinux
	agree "a directory with vmlinuz in $format: diff" installed same diff it plain
	[ $format = lz4 ] || {
		agree "a directory with .ko.$format" folder plain list -f it
		agree "a directory with .ko.$format: explain" folder plain explain close_own it
		agree "a directory with .ko.$format: diff" folder plain diff it plain
	}
done
pack bzimage stripped bzimage
all_agree 'bzImage that is not compressed' bzimage stripped
all_agree 'Image' image vmlinux.btf
mkdir deep && cp -r plain deep && cp bzimage deep/vmlinuz && cp bzimage deep/plain/vmlinuz-6.1
agree 'a directory with vmlinuz above vmlinux, and beside it' deep plain list -f it
rm -r deep/plain && mv deep/vmlinuz deep/vmlinuz-6.1 && cp deep/vmlinuz-6.1 deep/vmlinuz-6.2
run_group=packed
run 'a directory with two of vmlinuz' 3 '' 'btfenc: deep/vmlinuz-6.?: is a second vmlinux, next to deep/vmlinuz-6.?; *' list -f deep
gzip -c zboot.gz >twice
all_agree 'zboot in gzip' twice vmlinux.btf
"$BTFENC" stats --functions functions.tsv vmlinux >/dev/null && gzip -k functions.tsv
agree 'a list of functions in gzip' functions.tsv.gz functions.tsv diff it vmlinux

# ---- encode changes no packed file ----

run_group=packed
for file in dwarf.gz bzimage.gz zboot.gz image; do
	cp $file before
	run "encode $file" 3 '' "btfenc: $file: is compressed, or an image with a kernel in it; unpack it" encode $file
	run "encode -o out $file" 3 '' "btfenc: $file: is compressed, or an image with a kernel in it; unpack it" \
		encode -o out $file
	expect "packed: encode leaves $file as it is" cmp $file before
done
"$BTFENC" encode -o plain.btf -b vmlinux.btf dwarf.ko
for base in vmlinux.gz bzimage.gz zboot.gz; do
	"$BTFENC" encode -o packed.btf -b $base dwarf.ko
	expect "packed: encode -b $base" cmp packed.btf plain.btf
done

# ---- what cannot be unpacked ----

# refused NAME MESSAGE FILE: by all commands
refused()
{
	for command in check dump stats 'list -f' 'explain send' 'diff vmlinux'; do
		# shellcheck disable=SC2086 # words
		(limit_memory 800000 && run "$1: $command" 3 '' "btfenc: $3: cannot open: $2" $command $3)
	done
}

damaged='what is packed in it is damaged or cut off; copy it again; *'
for format in $formats; do
	for file in vmlinux bzimage zboot; do
		case $file in
		vmlinux) inside=vmlinux.$format end=0 ;;
		bzimage) inside=stripped.$format end=68 ;;
		zboot) inside=image.$format end=64 ;;
		esac
		bytes=$(wc -c <$file.$format) inside=$(wc -c <"$inside")
		head -c $((bytes - end - inside / 2)) $file.$format >cut.$file.$format
		cp $file.$format flipped
		printf '\377\377\377\377\377\377\377\377\377' |
			dd of=flipped bs=1 seek=$((bytes - end - inside / 2)) conv=notrunc 2>/dev/null
		# LZ4 has no checksum.
		[ $format = lz4 ] || refused "$file with $format, damaged" "$damaged" flipped
	done
	refused "$format, cut off" "$damaged" cut.vmlinux.$format
	refused "bzImage with $format, cut off" "$damaged" cut.bzimage.$format
	refused "zboot with $format, cut off" "$damaged" cut.zboot.$format
	head -c 300000000 /dev/zero | compress $format - bomb.$format
	refused "a bomb in $format" 'unpacked it exceeds the limit (64 MiB and 64 times its size); *' bomb.$format
	pack bzimage bomb.$format bomb
	refused "a bomb in $format in a bzImage" 'unpacked it exceeds the limit *' bomb
	: | compress $format - empty
	run "nothing in $format" 3 '' "btfenc: empty: *" check empty
done
head -c 100000 /dev/urandom >noise
head -c 700 bzimage.gz >short
refused 'a bzImage, cut off before its payload' "$damaged" short
pack image noise image.noise
refused 'an Image without BTF' 'it is an image without BTF (CONFIG_DEBUG_INFO_BTF); *' image.noise
gzip -c image.noise >image.noise.gz
refused 'an Image without BTF in gzip' 'it is an image without BTF (CONFIG_DEBUG_INFO_BTF); *' image.noise.gz
gzip -c noise >noise.gz
run 'what is no kernel in gzip: explain' 3 '' 'btfenc: noise.gz: is not an ELF file; *' explain send noise.gz
run 'what is no kernel in gzip: check' 3 '' 'btfenc: noise.gz: not BTF *' check noise.gz
cp vmlinux.gz nested
for _ in 1 2 3 4; do
	gzip -c nested >again && mv again nested
done
run 'five times in gzip' 3 '' 'btfenc: nested: not BTF *' check nested
# A part of 66 MiB in 66 KB of gzip's format would be allowed there, and is not in a file of 300 bytes.
head -c $((66 << 20)) /dev/zero >zeros
objcopy --add-section .debug_info=zeros --add-section .debug_abbrev=zeros stripped large &&
	objcopy --compress-debug-sections=zlib large small && gzip -9 small
[ "$(wc -c <small.gz)" -lt 20000 ]
outcome $? 'packed: compressed sections become small in gzip'
run 'compressed sections in gzip' 3 '' 'btfenc: small.gz: compressed section .debug_* claims to be *' explain send small.gz
