/* SPDX-License-Identifier: MIT
 *
 * signal_stacks.c - the stack of a fault's handler, on each kind of thread: the thread's alternate
 * stack, or the stack below the faulting stack pointer.
 *
 * A worker may leave its scheduler in such a handler. And calls of a worker on stacks without any
 * room. Runs with trapped calls; the tests of faults run without a filter, too (UMSSHIM_DETECT=0).
 *
 * modes: UMSSHIM_DETECT=traps, UMSSHIM_DETECT=notify, UMSSHIM_DETECT=traps UMSSHIM_FSGSBASE=0
 * modes: UMSSHIM_FSGSBASE=guard, UMSSHIM_DETECT=0
 */
#include "bare_call.h"
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"
#include "kinds.h"
#include "trapped.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { LIMIT_MS = 15000, ALTERNATE_BYTES = 1 << 16, PAGE_BYTES = 4096 };

static void do_nothing(struct block_case *c)
{
}

/* In the first scheduler of a process, or a worker on it. */
#define SKIP_UNLESS_TRAPPED()                                                                      \
    do {                                                                                           \
        run_in_worker(do_nothing, &(struct block_case){.fd = {-1, -1}});                           \
        if (!is_caught(SIGSYS))                                                                    \
            SKIP("no call is trapped here");                                                       \
    } while (0)

/* The kernel has a handler of the library's for the program's. */
#define SKIP_UNLESS_KEPT()                                                                         \
    do {                                                                                           \
        const char *detect = getenv("UMSSHIM_DETECT");                                             \
        if (!detect || strcmp(detect, "0") != 0)                                                   \
            SKIP_UNLESS_TRAPPED();                                                                 \
    } while (0)

/* ---- A thread with an alternate stack and a handler ------------------------------------------------------ */

static __thread sigjmp_buf back;
static __thread stack_t alternate;
static __thread volatile int handled, on_alternate;
static __thread char *volatile closed_page;

static bool is_on_alternate(void)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);

    return alternate.ss_size && here - (uintptr_t)alternate.ss_sp < alternate.ss_size;
}

static void have_alternate(void)
{
    alternate = (stack_t){.ss_sp = malloc(ALTERNATE_BYTES), .ss_size = ALTERNATE_BYTES};
    EXPECT_EQ(sigaltstack(&alternate, NULL), 0);
}

static void drop_alternate(void)
{
    stack_t none = {.ss_flags = SS_DISABLE};

    EXPECT_EQ(sigaltstack(&none, NULL), 0);
    free(alternate.ss_sp);
    alternate = none;
}

static void handle(int number, void (*handler)(int, siginfo_t *, void *), int flags,
                   struct sigaction *old)
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags};

    EXPECT_EQ(sigaction(number, &action, old), 0);
}

/* ---- Overflows ------------------------------------------------------------------------------------------- */

static volatile int deepest = 1 << 30;

static __attribute__((noinline, optimize("O0"))) int go_down(int n)
{
    volatile char room[PAGE_BYTES / 2];
    room[0] = (char)n;
    return n < deepest ? go_down(n + 1) + room[0] : 0;
}

static void jump_back(int number, siginfo_t *info, void *context)
{
    stack_t told;

    handled++;
    on_alternate = is_on_alternate();
    EXPECT_EQ(((ucontext_t *)context)->uc_stack.ss_sp, alternate.ss_sp);
    EXPECT_EQ(sigaltstack(NULL, &told), 0);
    EXPECT_EQ(told.ss_flags & SS_ONSTACK, on_alternate ? SS_ONSTACK : 0);
    siglongjmp(back, 1);
}

static void overflow(void *unused)
{
    struct sigaction old;

    have_alternate();
    handle(SIGSEGV, jump_back, SA_ONSTACK, &old);
    handled = 0;
    for (int i = 1; i <= 3; i++) {
        on_alternate = 0;
        if (sigsetjmp(back, 1) == 0)
            go_down(0);
        EXPECT_EQ(handled, i);
        EXPECT_EQ(on_alternate, 1);
        UmsThreadYield(NULL); /* and on whatever carrier comes next */
    }
    EXPECT_EQ(sigaction(SIGSEGV, &old, NULL), 0);
    drop_alternate();
}

TEST(SignalStacks, an_overflow_is_handled_on_the_alternate_one)
{
    SKIP_UNLESS_KEPT();
    in_each_kind(overflow, NULL);
}

static void overflow_unhandled(struct block_case *c)
{
    struct sigaction old;

    handle(SIGSEGV, jump_back, 0, &old); /* there is no room for it */
    if (sigsetjmp(back, 1) == 0)
        go_down(0);
}

static int end_by_overflow(void *unused)
{
    run_in_worker(overflow_unhandled, &(struct block_case){.fd = {-1, -1}});
    return 0;
}

TEST(SignalStacks, an_overflow_without_one_ends_the_process)
{
    struct child_result result;

    SKIP_UNLESS_KEPT();
    result = child_run(end_by_overflow, NULL, LIMIT_MS);
    EXPECT_CHILD_SIGNAL(result, SIGSEGV);
}

/* ---- Handlers that return -------------------------------------------------------------------------------- */

static void nap(void)
{
    struct timespec moment = {0, 2000000};

    EXPECT_EQ(nanosleep(&moment, NULL), 0);
}

static void open_page(int number, siginfo_t *info, void *context)
{
    on_alternate = is_on_alternate();
    EXPECT_EQ(info->si_addr, closed_page);
    nap(); /* others run on this carrier meanwhile, and have faults of their own */
    EXPECT_EQ(mprotect(closed_page, PAGE_BYTES, PROT_READ | PROT_WRITE), 0);
    nap();
    handled++;
}

static void touch(int flags)
{
    enum { FAULTS = 5 };
    double kept = 1.5 * flags;
    struct sigaction old;

    have_alternate();
    closed_page = mmap(NULL, PAGE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    handled = 0;
    handle(SIGSEGV, open_page, flags, &old);
    for (int i = 0; i < FAULTS; i++) {
        on_alternate = 2;
        kept += 0.25;
        *closed_page = 7;
        EXPECT_EQ(*closed_page, 7);
        EXPECT_EQ(on_alternate, !!flags);
        EXPECT_EQ(mprotect(closed_page, PAGE_BYTES, PROT_NONE), 0);
    }
    EXPECT_EQ(handled, FAULTS);
    EXPECT_THAT(kept == 1.5 * flags + 0.25 * FAULTS, "a register was lost: %f", kept);
    munmap(closed_page, PAGE_BYTES);
    drop_alternate();
}

static void touch_on_alternate(void *unused)
{
    touch(SA_ONSTACK);
}

static void touch_below(void *unused)
{
    touch(0);
}

TEST(SignalStacks, a_handler_on_the_alternate_one_blocks_and_returns)
{
    SKIP_UNLESS_KEPT();
    in_each_kind(touch_on_alternate, NULL);
    signal(SIGSEGV, SIG_DFL);
}

TEST(SignalStacks, a_handler_that_wants_none_runs_below_the_fault)
{
    SKIP_UNLESS_KEPT();
    in_each_kind(touch_below, NULL);
    signal(SIGSEGV, SIG_DFL);
}

static void touch_in_worker(struct worker *self)
{
    touch(SA_ONSTACK);
}

/* Each carrier has had the others' frames on its stack in between. */
TEST(SignalStacks, many_workers_fault_at_once)
{
    enum { SCHEDULERS = 2, WORKERS = 12 };
    struct fleet *fleet;

    SKIP_UNLESS_KEPT();
    fleet = fleet_create(SCHEDULERS, WORKERS, FLEET_SHARED_READY);
    for (int i = 0; i < WORKERS; i++)
        fleet_add(fleet, touch_in_worker, NULL);
    ASSERT_OK(fleet_run(fleet));
    fleet_destroy(fleet);
    signal(SIGSEGV, SIG_DFL);
}

/* ---- Other faults ---------------------------------------------------------------------------------------- */

static volatile int zero;

static void raise_illegal(void)
{
    __asm__ volatile("ud2");
}

static void raise_float(void)
{
    zero = 12345 / zero;
}

static void raise_abort(void)
{
    bare_call_5(SYS_tgkill, getpid(), bare_call_5(SYS_gettid, 0, 0, 0, 0, 0), SIGABRT, 0, 0);
}

static void raise_each(void *unused)
{
    static const struct {
        int number;
        void (*raise)(void);
    } faults[] = {{SIGILL, raise_illegal}, {SIGFPE, raise_float}, {SIGABRT, raise_abort}};
    struct sigaction old, told;

    have_alternate();
    for (size_t i = 0; i < 2 * sizeof faults / sizeof *faults; i++) {
        volatile int flags = i % 2 ? SA_ONSTACK | SA_RESETHAND : 0;

        on_alternate = 2;
        handle(faults[i / 2].number, jump_back, flags, &old);
        if (sigsetjmp(back, 1) == 0)
            faults[i / 2].raise();
        EXPECT_EQ(on_alternate, flags ? 1 : 0);
        EXPECT_EQ(sigaction(faults[i / 2].number, &old, &told), 0);
        EXPECT_EQ((void *)told.sa_sigaction, flags ? (void *)SIG_DFL : (void *)jump_back);
    }
    drop_alternate();
}

TEST(SignalStacks, of_other_faults)
{
    SKIP_UNLESS_KEPT();
    in_each_kind(raise_each, NULL);
}

/* ---- The call -------------------------------------------------------------------------------------------- */

static long bare_altstack(const stack_t *stack, stack_t *old)
{
    return bare_call_5(SYS_sigaltstack, (long)stack, (long)old, 0, 0, 0);
}

static void ask_for(void *unused)
{
    static char room[ALTERNATE_BYTES];
    stack_t small = {.ss_sp = room, .ss_size = 1024},
            odd = {.ss_sp = room, .ss_size = ALTERNATE_BYTES}, good = odd, told;

    odd.ss_flags = 0x40;
    for (int bare = 0; bare < 2; bare++) {
#define ASK(stack, old) (bare ? bare_altstack(stack, old) : sigaltstack(stack, old) ? -errno : 0)
        EXPECT_EQ(ASK(&small, NULL), -ENOMEM);
        EXPECT_EQ(ASK(&odd, NULL), -EINVAL);
        EXPECT_EQ(ASK((stack_t *)8, NULL), -EFAULT);
        EXPECT_EQ(ASK(NULL, (stack_t *)8), -EFAULT);
        EXPECT_EQ(ASK(NULL, &told), 0);
        EXPECT_EQ(told.ss_flags, SS_DISABLE);
        EXPECT_EQ(ASK(&good, &told), 0);
        EXPECT_EQ(told.ss_flags, SS_DISABLE);
        UmsThreadYield(NULL);
        EXPECT_EQ(ASK(NULL, &told), 0);
        EXPECT_EQ(told.ss_sp, room);
        EXPECT_EQ(told.ss_size, ALTERNATE_BYTES);
        EXPECT_EQ(told.ss_flags, 0);
        EXPECT_EQ(ASK(&(stack_t){.ss_flags = SS_DISABLE}, NULL), 0);
#undef ASK
    }
}

TEST(SignalStacks, are_asked_for_as_the_kernel_has_it)
{
    SKIP_UNLESS_TRAPPED();
    in_each_kind(ask_for, NULL);
}
