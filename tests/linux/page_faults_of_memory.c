/* SPDX-License-Identifier: MIT
 *
 * page_faults_of_memory.c - faults that userfaultfd handles, if UMSSHIM_FAULTS=1 asks for upcalls.
 * A signal ends the kernel's sleep in such a fault, so the library has to find the page from the
 * instruction. The test tries each kind of instruction for which it can, and one for which it
 * cannot.
 *
 * modes: UMSSHIM_FAULTS=1, UMSSHIM_FAULTS=1 UMSSHIM_FRONT=functions
 * with: seen_faults.c, ../support/slow_memory.c
 * options: SERIAL
 */
#include "fleet.h"
#include "gtest_c.h"
#include "seen_faults.h"
#include "slow_memory.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum { PAGE_US = 20000 };

static struct slow_memory slow;
static unsigned next_page;

/* ---- Kinds of instructions: each wants page n, and says what it found there ------------------------- */

static unsigned load(unsigned char *page)
{
    unsigned char found;

    __asm__ volatile("movb 5(%1), %0" : "=q"(found) : "r"(page) : "memory");
    return found;
}

static unsigned load_scaled(unsigned char *page)
{
    unsigned found;

    __asm__ volatile("movl -8(%1, %2, 8), %0" : "=r"(found) : "r"(page), "r"(100l) : "memory");
    return found & 255;
}

static unsigned store(unsigned char *page)
{
    __asm__ volatile("movb $77, 9(%0)" : : "r"(page) : "memory");
    return page[9] == 77 ? page[8] : 0;
}

static unsigned add(unsigned char *page)
{
    __asm__ volatile("lock addb $3, (%0)" : : "r"(page) : "memory", "cc");
    return page[0] - 3u;
}

static unsigned vector(unsigned char *page)
{
    unsigned char found[16] __attribute__((aligned(16)));

    __asm__ volatile("movdqu 33(%0), %%xmm5\n\tmovdqa %%xmm5, %1"
                     :
                     : "r"(page), "m"(found)
                     : "memory", "xmm5");
    return found[15];
}

/* Reads a word whose last bytes are on the page. Its first ones are on the page before, which is
 * here already. */
static unsigned across(unsigned char *page)
{
    unsigned long found;

    (void)*(volatile unsigned char *)(page - SLOW_PAGE);
    __asm__ volatile("movq -3(%1), %0" : "=r"(found) : "r"(page) : "memory");
    return (unsigned)(found >> 56);
}

static unsigned copy(unsigned char *page)
{
    unsigned char found[64];
    void *to = found;
    const void *from = page;
    size_t bytes = sizeof found;

    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
    return found[63];
}

static unsigned libcs_copy(unsigned char *page)
{
    static unsigned char found[SLOW_PAGE];

    memcpy(found, page, sizeof found);
    return found[SLOW_PAGE - 1];
}

static const struct kind {
    const char *name;
    unsigned (*want)(unsigned char *page);
} kinds[] = {{"a load", load},     {"a load with an index", load_scaled},
             {"a store", store},   {"an atomic addition", add},
             {"a vector", vector}, {"a load across two pages", across},
             {"rep movsb", copy},  {"memcpy", libcs_copy}};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* ---- Noticed ------------------------------------------------------------------------------------------ */

static void want(unsigned (*kind)(unsigned char *page))
{
    unsigned n = next_page;

    next_page += 2;
    atomic_store(&fault_since, now_us());
    unsigned found = kind(slow.bytes + (size_t)n * SLOW_PAGE);
    atomic_store(&fault_since, 0);
    EXPECT_EQ(found, n % 251 + 1);
}

static atomic_long seen_before;

static bool was_seen(void)
{
    return atomic_load(&faults_seen) > atomic_load(&seen_before);
}

/* Never yields: the other worker runs because of a fault. The page comes when it has run, however
 * busy the machine is. */
static void want_each(struct worker *self)
{
    slow.may_come = was_seen;
    for (unsigned k = 0; k < KINDS; k++) {
        atomic_store(&seen_before, atomic_load(&faults_seen));
        want(kinds[k].want);
        EXPECT_THAT(was_seen(), "%s: nobody ran meanwhile", kinds[k].name);
    }
    atomic_store(&faults_over, true);
}

static void run(worker_body faulting, bool user_only, bool low)
{
    const char *refusal = slow_memory_make(&slow, PAGE_US, user_only, low);
    struct fleet *fleet;

    if (refusal)
        SKIP("%s", refusal);
    next_page = 1;
    atomic_store(&faults_over, false);
    atomic_store(&faults_seen, 0);
    fleet = fleet_create(1, 2, 0);
    if (fleet) {
        fleet_add(fleet, faulting, NULL);
        fleet_add(fleet, see_faults, NULL);
        EXPECT_OK(fleet_run(fleet));
        EXPECT_GE(fleet_counts(fleet).traps, atomic_load(&faults_seen)); /* bit 0 clear */
    }
    fleet_destroy(fleet);
    slow_memory_drop(&slow);
}

TEST(PageFaultsOfMemory, of_each_kind_of_instruction)
{
    run(want_each, false, false);
    printf("of a fault of %d us another worker ran after %ld us\n", PAGE_US,
           atomic_load(&soonest_seen_us));
}

TEST(PageFaultsOfMemory, of_ordinary_users)
{
    run(want_each, true, false);
}

/* ---- Not noticed -------------------------------------------------------------------------------------- */

/* Reads by an address in a 32-bit register, which the library does not decode. */
static unsigned load_low(unsigned char *page)
{
    unsigned char found;

    __asm__ volatile("movb (%k1), %0" : "=q"(found) : "r"(page) : "memory");
    return found;
}

static double processor_seconds(void)
{
    struct rusage used;

    getrusage(RUSAGE_SELF, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

static void want_what_is_unknown(struct worker *self)
{
    double before = processor_seconds();

    for (int i = 0; i < 20; i++)
        want(load_low);
    EXPECT_LT((processor_seconds() - before) * 1e6, 20 * PAGE_US / 2); /* nobody asks for ever */
    EXPECT_EQ(atomic_load(&faults_seen), 0);
    atomic_store(&faults_over, true);
}

TEST(PageFaultsOfMemory, of_an_unknown_kind_are_waited_for)
{
    run(want_what_is_unknown, false, true);
}

/* ---- Ended meanwhile ------------------------------------------------------------------------------------ */

static struct worker *victim;

static void want_for_ever(struct worker *self)
{
    for (;;) {
        if (next_page >= SLOW_PAGES)
            next_page = 1;
        want(load);
        madvise(slow.bytes, (size_t)SLOW_PAGES * SLOW_PAGE, MADV_DONTNEED);
    }
}

/* The scheduler's entry point calls it. At the first fault that was noticed it ends the victim. */
static void end_in_fault(const struct activation *activation, void *unused)
{
    if (activation->reason == UmsSchedulerThreadBlocked && !(activation->payload & 1) &&
        !atomic_exchange(&faults_over, true))
        TerminateThread(victim->thread, 7);
}

TEST(PageFaultsOfMemory, a_worker_that_is_ended_in_one)
{
    const char *refusal = slow_memory_make(&slow, PAGE_US, false, false);
    struct fleet *fleet;
    DWORD code = 0;

    if (refusal)
        SKIP("%s", refusal);
    next_page = 1;
    atomic_store(&faults_over, false);
    fleet = fleet_create(1, 2, 0);
    ASSERT_NE(fleet, NULL);
    victim = fleet_add(fleet, want_for_ever, NULL);
    fleet_add(fleet, see_faults, NULL);
    fleet_set_hook(fleet, end_in_fault, NULL);
    EXPECT_OK(fleet_run(fleet));
    EXPECT_OK(GetExitCodeThread(victim->thread, &code));
    EXPECT_EQ(code, 7);
    fleet_destroy(fleet);
    slow_memory_drop(&slow);
}
