/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Functions whose prototype clang changes under their own name: tests/true_signature.sh says which
 * prototype each of them has then. No C library; nothing here runs.
 */
#define noinline __attribute__((noinline))
#define barrier() __asm__ volatile("" ::: "memory")

struct pair { long first, second; };
struct split { int low, high; long other; };
struct mixed { double real; long number; };
union either { long number; char bytes[16]; };
union large { long number; char bytes[32]; };
struct four { long a, b, c, d; };
struct chain { long value; struct chain *next; long more; };

int zero, one;
struct pair pairs[4];
struct split splits[4];
struct mixed mixes[4];
union either eithers[4];
union large larges[4];
struct four fours[4];
struct chain chains[4];
volatile long sink;
void consume(const void *memory, long value);

/* ---- the only caller is a tail call ---- */

static noinline int tail_middle(int a, int unused, int c)
{
	return a * c - a - c;
}

int call_tail_middle(void)
{
	return tail_middle(zero, one, one + 1);
}

/* The second caller delivers what the first one, which is changed itself, got. */
static noinline int tail_inner(int unused, int b)
{
	return b * b - 3 * b;
}

static noinline int tail_outer(int a, int unused, int c)
{
	sink = a;
	return tail_inner(a, c);
}

int call_tail_outer(void)
{
	return tail_outer(zero, one, one + 1) + 1;
}

/* The caller returns nothing, so nothing is delivered. */
static noinline int tail_void(int a, int unused)
{
	sink = a;
	return a * 11;
}

void call_tail_void(void)
{
	tail_void(one, zero);
}

/* ---- arguments in memory ---- */

static noinline int many_moved(int a, int b, int c, int d, int e, int f, int g, int h, int i)
{
	return a * i - a - i;
}

int call_many_moved(void)
{
	return many_moved(zero, one, zero, one, zero, one, zero, one, one + zero);
}

/* Global: callers elsewhere pass all of them, those here do not. */
noinline int many_global(int a, int b, int c, int d, int e, int f, int g, int h, int i)
{
	return a * i + a - i;
}

int call_many_global(void)
{
	return many_global(zero, one, zero, one, zero, one, zero, one, one + zero);
}

static noinline long in_memory(union large u, int unused, int x)
{
	return u.number + x;
}

long call_in_memory(void)
{
	return in_memory(larges[0], one, zero);
}

/* What is declared first on the stack is gone, and the next one is there. */
static noinline long memory_moved(struct four unused, struct four used, int x)
{
	return used.a * 3 + used.d + x;
}

long call_memory_moved(void)
{
	return memory_moved(fours[0], fours[1], zero) + memory_moved(fours[2], fours[3], one);
}

/* Its code moves the stack pointer before it reads. */
static noinline long memory_framed(struct four used, int unused, int x)
{
	struct four copy[3] = { { x, x, x, x } };

	consume(copy, x);
	return used.b * 5 + copy[1].a + x;
}

long call_memory_framed(void)
{
	return memory_framed(fours[0], zero, one) + memory_framed(fours[1], one, zero);
}

/* ---- members in place of a struct ---- */

static noinline long first_word(struct pair a, struct pair b, int i)
{
	return a.first + b.first + b.second + i;
}

long call_first_word(void)
{
	return first_word(pairs[0], pairs[1], zero);
}

static noinline long second_word(int unused, struct pair a, int i)
{
	return a.second * 3 + i;
}

long call_second_word(void)
{
	return second_word(one, pairs[0], zero) + second_word(zero, pairs[1], one);
}

static noinline long last_word(int i, struct pair a)
{
	return a.second * 3 + i;
}

long call_last_word(void)
{
	return last_word(one, pairs[0]) + last_word(zero, pairs[1]);
}

/* Global: callers elsewhere pass all of it. */
noinline long global_word(int i, struct pair a)
{
	return a.first * 3 + i;
}

long call_global_word(void)
{
	return global_word(one, pairs[0]) + global_word(zero, pairs[1]);
}

/* Two members share the word that is left. */
static noinline long shared_word(struct split a, int i)
{
	return a.low * 7 + i;
}

long call_shared_word(void)
{
	return shared_word(splits[0], one) + shared_word(splits[1], zero);
}

/* The word that is gone was not among the integers. */
static noinline long mixed_word(struct mixed a, int i)
{
	return a.number * 7 + i;
}

long call_mixed_word(void)
{
	return mixed_word(mixes[0], one) + mixed_word(mixes[1], zero);
}

/* Which member of a union it is nobody says. */
static noinline long union_word(union either a, int i)
{
	return a.number * 7 + i;
}

long call_union_word(void)
{
	return union_word(eithers[0], one) + union_word(eithers[1], zero);
}

/* ---- -O3: what a pointer leads to, in place of the pointer ---- */

/* The callers keep the value in a register, and DWARF describes that. */
static noinline long target_described(struct four *p, int x)
{
	return p->b * 3 + x;
}

static noinline long target_again(struct four p, int x)
{
	return p.b * 5 + x;
}

void call_target_described(void)
{
	sink = target_again(fours[0], zero);
	sink = target_again(fours[1], one);
	sink = target_described(&fours[0], zero);
	sink = target_described(&fours[1], one);
}

/* DWARF has the parameter later: it is what the function has made of the target. */
static noinline long target_assigned(int *p, long x)
{
	int value = *p;

	__asm__ volatile("nop");
	p = (int *)(long)value;
	__asm__ volatile("nop" ::"r"(p));
	return value * x;
}

void call_target_assigned(void)
{
	sink = target_assigned(&zero, 5);
	sink = target_assigned(&one, sink);
}

/* The same, computed from the register at once. */
static noinline long target_computed(struct chain *p, int x)
{
	struct chain *next = p->next;

	__asm__ volatile("nop");
	p = next + 1;
	__asm__ volatile("nop");
	return p->value * 3 + p->more + x;
}

void call_target_computed(void)
{
	sink = target_computed(&chains[0], zero);
	sink = target_computed(&chains[1], one);
}

/*
 * The same where DWARF shows the register at the entry. Only clang 23 says that something has
 * changed.
 */
static noinline long target_hidden(struct chain *p, int x)
{
	p = p->next;
	consume(p, x);
	return x;
}

void call_target_hidden(void)
{
	sink = target_hidden(&chains[0], zero);
	sink = target_hidden(&chains[1], one);
}

/* ---- nothing is changed ---- */

static noinline long kept(struct pair a, int i)
{
	return a.first * 3 + a.second + i;
}

long call_kept(void)
{
	return kept(pairs[0], one) + kept(pairs[1], zero);
}

static noinline long kept_pointer(struct chain *p, int x)
{
	barrier();
	return p->value * 3 + p->more + x;
}

void call_kept_pointer(void)
{
	sink = kept_pointer(&chains[0], zero);
	sink = kept_pointer(&chains[1], one);
}

noinline void consume(const void *memory, long value)
{
	__asm__ volatile("" ::"r"(memory), "r"(value) : "memory");
}

void _start(void)
{
}
