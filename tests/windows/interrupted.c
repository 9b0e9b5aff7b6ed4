/* SPDX-License-Identifier: MIT
 *
 * interrupted.c - a worker that is suspended in the middle of a computation goes on with it as if
 * nothing had been: every register, the flags and the x87 stack among them.
 *
 * The hazard: the kernel thread that a worker is hosted on cannot stop with it. The worker leaves
 * it at whatever instruction it is, where no calling convention says what may be lost.
 *
 * modes: default, UMSSHIM_TEST_AS_WINDOWS=exceptions UMSSHIM_SWITCH=inplace
 * options: LIMIT 60
 */
#include "fleet.h"
#include "gtest_c.h"
#include "loose.h"

#include <stdint.h>
#include <string.h>

enum { CYCLES = 150, TURNS = 100000, WORKERS = 2 };

struct sums {
    uint64_t integers[2];
    long double x87[3];
    float vectors[16];
};

typedef float lanes __attribute__((vector_size(32)));

/* Keeps as much as it can in registers, and carries and comparisons in the flags. */
__attribute__((always_inline)) static inline void compute(struct sums *sums)
{
    unsigned __int128 wide = 1;
    uint64_t mixed = 88172645463325252u;
    long double x = 0.5L, y = 0.25L, z = 0.125L;
    lanes a = {1, 2, 3, 4, 5, 6, 7, 8}, b = {8, 7, 6, 5, 4, 3, 2, 1};

    for (int i = 0; i < TURNS; i++) {
        mixed ^= mixed << 13;
        mixed ^= mixed >> 7;
        mixed ^= mixed << 17;
        wide = wide * mixed + (mixed < (uint64_t)(wide >> 64) ? 3 : 5);
        x = x * 0.75L + y * 0.125L;
        y = y * 0.5L + z * 0.375L;
        z = 1.0L - x * 0.25L;
        a = a * 0.5f + b;
        b = b * 0.25f - a * 0.125f + 1.0f;
    }
    memset(sums, 0, sizeof *sums); /* a long double has bytes that say nothing */
    sums->integers[0] = (uint64_t)wide;
    sums->integers[1] = (uint64_t)(wide >> 64);
    sums->x87[0] = x;
    sums->x87[1] = y;
    sums->x87[2] = z;
    memcpy(sums->vectors, &a, sizeof a);
    memcpy(sums->vectors + 8, &b, sizeof b);
}

/* With the upper halves of the vector registers, and without. */
__attribute__((target("avx"), noinline)) static void compute_wide(struct sums *sums)
{
    compute(sums);
}

__attribute__((noinline)) static void compute_plain(struct sums *sums)
{
    compute(sums);
}

enum { INTEGERS = 1, X87 = 2, VECTORS = 4 };

/* What differs. */
static int difference(const struct sums *a, const struct sums *b)
{
    int which = 0;

    for (int i = 0; i < 3; i++)
        which |= a->x87[i] != b->x87[i] ? X87 : 0;
    which |= memcmp(a->integers, b->integers, sizeof a->integers) ? INTEGERS : 0;
    return which | (memcmp(a->vectors, b->vectors, sizeof a->vectors) ? VECTORS : 0);
}

static struct job {
    void (*compute)(struct sums *);
    struct sums expected;
    int turns, stop;
} jobs[WORKERS];

static DWORD WINAPI compute_again_and_again(LPVOID param)
{
    struct job *job = param;

    while (!flag_get(&job->stop)) {
        struct sums sums;

        job->compute(&sums);
        EXPECT_THAT(difference(&sums, &job->expected) == 0, "1 integers, 2 x87, 4 vectors: %d",
                    difference(&sums, &job->expected));
        flag_add(&job->turns, 1);
        UmsThreadYield(NULL);
    }
    return 0;
}

static DWORD WINAPI
expect_sums(LPVOID param) /* as a new thread computes, not as the first one may */
{
    struct job *job = param;

    job->compute(&job->expected);
    return 0;
}

TEST(Interrupted, computation)
{
    struct loose_worker *workers[WORKERS];
    struct loose scheduler = {0};

    memset(jobs, 0, sizeof jobs);
    for (int i = 0; i < WORKERS; i++) {
        HANDLE thread;

        jobs[i].compute = i && __builtin_cpu_supports("avx") ? compute_wide : compute_plain;
        thread = CreateThread(NULL, 0, expect_sums, &jobs[i], 0, NULL);
        EXPECT_EQ(WaitForSingleObject(thread, 5000), WAIT_OBJECT_0);
        EXPECT_OK(CloseHandle(thread));
    }
    ASSERT_OK(loose_start(&scheduler, NULL));
    for (int i = 0; i < WORKERS; i++) {
        workers[i] = loose_add(&scheduler, compute_again_and_again, &jobs[i], 0);
        ASSERT_OK(workers[i] != NULL);
        ASSERT_REACHES(jobs[i].turns, 1);
    }
    for (int i = 0; i < CYCLES && !tc_failures(); i++) {
        HANDLE thread = workers[i % WORKERS]->bare.thread;

        EXPECT_EQ(SuspendThread(thread), 0);
        ASSERT_OK(loose_suspended(workers[i % WORKERS]));
        EXPECT_EQ(ResumeThread(thread), 1);
    }
    for (int i = 0; i < WORKERS; i++) {
        ASSERT_REACHES(jobs[i].turns, flag_get(&jobs[i].turns) + 2);
        flag_set(&jobs[i].stop, 1);
    }
    tc_note("%d of %d stops came in the middle",
            flag_get(&workers[0]->traps) + flag_get(&workers[1]->traps), CYCLES);
    EXPECT_GT(flag_get(&workers[0]->traps), 0);
    EXPECT_GT(flag_get(&workers[1]->traps), 0);
    EXPECT_OK(loose_finish(&scheduler));
}

/* ---- The TEB's address in a register --------------------------------------------------------- */

static DWORD slot;
static int readers_stop;

/* What TlsGetValue does, and nearly all of the time in between its two steps. */
static void *slot_slowly(void)
{
    void *value;

    __asm__ volatile("movq %%gs:0x30, %%rdx\n\t"
                     "movl $200000, %%ecx\n"
                     "1: decl %%ecx\n\t"
                     "jnz 1b\n\t"
                     "movq 0x1480(%%rdx,%1,8), %0"
                     : "=r"(value)
                     : "r"((uint64_t)slot)
                     : "rcx", "rdx", "cc", "memory");
    return value;
}

static DWORD WINAPI read_own_slot(LPVOID param)
{
    int *turns = param;

    EXPECT_OK(TlsSetValue(slot, turns));
    while (!flag_get(&readers_stop)) {
        void *value = slot_slowly();

        EXPECT_EQ(value, turns);
        flag_add(turns, 1);
    }
    return 0;
}

/* Schedulers share a list, and there are more of them than workers: one that is resumed goes on under
 * another. */
TEST(Interrupted, between_loading_the_address_of_the_teb_and_using_it)
{
    struct loose schedulers[WORKERS + 1] = {0};
    int turns[WORKERS] = {0};
    struct loose_worker *workers[WORKERS];

    readers_stop = 0;
    slot = TlsAlloc();
    ASSERT_THAT(slot < 64, "slot %u: the TEB holds the first 64", (unsigned)slot);
    for (int i = 0; i <= WORKERS; i++)
        ASSERT_OK(loose_start(&schedulers[i], i ? schedulers[0].list : NULL));
    for (int i = 0; i < WORKERS; i++) {
        workers[i] = loose_add(&schedulers[0], read_own_slot, &turns[i], 0);
        ASSERT_OK(workers[i] != NULL);
        ASSERT_REACHES(turns[i], 1);
    }
    for (int i = 0; i < CYCLES && !tc_failures(); i++) {
        struct loose_worker *worker = workers[i % WORKERS];

        EXPECT_EQ(SuspendThread(worker->bare.thread), 0);
        ASSERT_OK(loose_suspended(worker));
        EXPECT_EQ(ResumeThread(worker->bare.thread), 1);
        ASSERT_REACHES(turns[i % WORKERS], flag_get(&turns[i % WORKERS]) + 1);
    }
    flag_set(&readers_stop, 1);
    for (int i = 0; i <= WORKERS; i++)
        EXPECT_OK(loose_finish(&schedulers[i]));
    EXPECT_OK(TlsFree(slot));
}
