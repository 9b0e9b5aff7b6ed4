/* SPDX-License-Identifier: MIT
 *
 * guarded_thread_pointers.c - a kernel without wrfsbase loads the guard as the thread pointer
 * whenever it puts a carrier on a processor. Here the test does that, at every place that it likes.
 * SIGSEGV, by whose handler the library repairs it, stays the program's.
 *
 * Runs with UMSSHIM_FSGSBASE=guard.
 *
 * modes: UMSSHIM_FSGSBASE=guard, UMSSHIM_FSGSBASE=guard UMSSHIM_FRONT=0
 */
#include "bare_call.h"
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"
#include "kinds.h"
#include "trapped.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LIMIT_MS = 15000, TURNS = 2000, KERNEL_SET = 8, ARCH_GET_FS_CODE = 0x1003 };

static __thread volatile int own; /* thread-local, at a negative distance */
static __thread volatile char far_away[1 << 16];

/* The guard address in the carrier's record (platform/linux/os/thread_pointer.h). */
static uintptr_t guard_here(void)
{
    uintptr_t guard;

    __asm__("mov %%gs:8, %0" : "=r"(guard));
    return guard;
}

static void lose_thread_pointer(void)
{
    __asm__ volatile("wrfsbase %0" : : "r"(guard_here()) : "memory");
}

/* Whether thread pointers are guarded here. Known once the process has had a worker. */
static bool guarded(void)
{
    return is_caught(SIGSEGV) && is_caught(SIGSYS);
}

#define SKIP_UNLESS_GUARDED()                                                                      \
    do {                                                                                           \
        run_in_worker(do_nothing, &(struct block_case){.fd = {-1, -1}});                           \
        if (!guarded())                                                                            \
            SKIP("no thread pointer is guarded here: the processor lacks wrfsbase, or no filter "  \
                 "can be had");                                                                    \
    } while (0)

static void do_nothing(struct block_case *c)
{
}

static void lose_and_look(void *arg)
{
    static _Atomic int numbers;
    int mine = ++numbers;
    pthread_t self = pthread_self();

    if (!GetCurrentUmsThread())
        return; /* the kernel knows a plain thread's */
    own = mine;
    far_away[0] = far_away[sizeof far_away - 1] = (char)mine;
    for (int i = 0; i < TURNS; i++) {
        lose_thread_pointer();
        if (own != mine)
            break;
        lose_thread_pointer();
        if (far_away[i % 2 * (sizeof far_away - 1)] != (char)mine)
            break;
        lose_thread_pointer();
        if (!pthread_equal(self, pthread_self()))
            break;
        lose_thread_pointer();
        errno = i;
        if (i % 16 == 0)
            Sleep(0);
        if (errno != i)
            break;
        own = ++mine;
        far_away[0] = far_away[sizeof far_away - 1] = (char)mine;
        if (i == TURNS - 1)
            return;
    }
    FAIL("thread-local data of another: own %d and %d, far %d and %d", own, mine, far_away[0],
         far_away[sizeof far_away - 1]);
}

TEST(GuardedThreadPointers, are_loaded_again_at_the_first_access)
{
    SKIP_UNLESS_GUARDED();
    in_each_kind(lose_and_look, NULL);
}

/* A signal that comes together with the fault has its handler run first, which makes a system call of the library's:
 * there the thread pointer is loaded. Time and again at the one access below. */
static int changes_end;

static void lose_at_one_place(struct block_case *c)
{
    int mine = 0;

    for (own = 0; !flag_get(&changes_end) && own == mine; mine++) {
        lose_thread_pointer();
        own++;
    }
    EXPECT_EQ(own, mine);
}

static void *change_ids(void *unused)
{
    ULONGLONG end = GetTickCount64() + 700;

    while (GetTickCount64() < end)
        EXPECT_EQ(setgid(getgid()), 0);
    flag_set(&changes_end, 1);
    return NULL;
}

static int lose_meanwhile(void *unused)
{
    pthread_t thread;

    EXPECT_EQ(pthread_create(&thread, NULL, change_ids, NULL), 0);
    run_in_worker(lose_at_one_place, &(struct block_case){.fd = {-1, -1}});
    EXPECT_EQ(pthread_join(thread, NULL), 0);
    return 0;
}

TEST(GuardedThreadPointers, are_loaded_again_while_another_signal_comes)
{
    SKIP_UNLESS_GUARDED();
    EXPECT_IN_CHILD(lose_meanwhile, NULL, LIMIT_MS);
}

/* ---- Masks ------------------------------------------------------------------------------------------ */

static void lose_masked(struct block_case *c)
{
    uint64_t all = ~0ull, old = 0, seen = 0;
    sigset_t set;

    EXPECT_EQ(bare_call_5(SYS_rt_sigprocmask, SIG_BLOCK, (long)&all, (long)&old, KERNEL_SET, 0), 0);
    lose_thread_pointer();
    own = 1;
    EXPECT_EQ(bare_call_5(SYS_rt_sigprocmask, SIG_SETMASK, (long)&old, (long)&seen, KERNEL_SET, 0),
              0);
    EXPECT_NE(seen & 1ull << (SIGSEGV - 1), 0);
    sigfillset(&set);
    EXPECT_EQ(pthread_sigmask(SIG_SETMASK, &set, NULL), 0);
    lose_thread_pointer();
    own = 2;
    EXPECT_EQ(pthread_sigmask(SIG_BLOCK, NULL, &set), 0);
    EXPECT_EQ(sigismember(&set, SIGSEGV), 1);
}

TEST(GuardedThreadPointers, are_loaded_in_any_mask)
{
    SKIP_UNLESS_GUARDED();
    run_in_worker(lose_masked, &(struct block_case){.fd = {-1, -1}});
}

static volatile int floats;

static void on_float(int number)
{
    lose_thread_pointer();
    own = 3;
    floats++;
}

static void lose_in_a_handler(struct block_case *c)
{
    struct sigaction action = {.sa_handler = on_float}, told;

    sigfillset(&action.sa_mask);
    EXPECT_EQ(sigaction(SIGFPE, &action, NULL), 0);
    EXPECT_EQ(sigaction(SIGFPE, NULL, &told), 0);
    EXPECT_EQ(sigismember(&told.sa_mask, SIGSEGV), 1);
    EXPECT_EQ(sigismember(&told.sa_mask, SIGSYS), 1);
    EXPECT_EQ(raise(SIGFPE), 0);
    EXPECT_EQ(floats, 1);
    signal(SIGFPE, SIG_DFL);
}

TEST(GuardedThreadPointers, are_loaded_in_a_handler_that_masks_everything)
{
    SKIP_UNLESS_GUARDED();
    run_in_worker(lose_in_a_handler, &(struct block_case){.fd = {-1, -1}});
}

/* ---- Children ----------------------------------------------------------------------------------------- */

static void fork_without(struct block_case *c)
{
    int status = -1;

    own = 7;
    lose_thread_pointer();
    pid_t child = fork();
    if (child == 0) {
        uintptr_t kernels = 0;
        bool right = syscall(SYS_arch_prctl, ARCH_GET_FS_CODE, &kernels) == 0 &&
                     kernels == (uintptr_t)pthread_self() && own == 7;
        _exit(right ? 0 : 1);
    }
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(own, 7);
}

TEST(GuardedThreadPointers, children_have_the_kernel_know_theirs)
{
    SKIP_UNLESS_GUARDED();
    run_in_worker(fork_without, &(struct block_case){.fd = {-1, -1}});
}

/* ---- SIGSEGV is the program's -------------------------------------------------------------------------- */

static sigjmp_buf back;
static void *volatile address_told;
static volatile int code_told, own_in_handler;
static char *volatile closed_page;

static void on_segv(int number, siginfo_t *info, void *context)
{
    address_told = info->si_addr;
    code_told = info->si_code;
    own_in_handler = own;
    if (info->si_code > 0)
        siglongjmp(back, 1);
}

static void fault_at(volatile char *place)
{
    if (sigsetjmp(back, 1) == 0)
        *place = 1;
    EXPECT_EQ(address_told, (void *)place);
}

static void handle_own(void *unused)
{
    struct sigaction action = {.sa_sigaction = on_segv, .sa_flags = SA_SIGINFO}, old, told;

    sigfillset(&action.sa_mask);
    EXPECT_EQ(sigaction(SIGSEGV, &action, &old), 0);
    EXPECT_EQ(sigaction(SIGSEGV, NULL, &told), 0);
    EXPECT_EQ((void *)told.sa_sigaction, (void *)on_segv);
    EXPECT_EQ(memcmp(&told.sa_mask, &action.sa_mask, KERNEL_SET), 0);
    own = 11;
    for (int i = 0; i < 20; i++) {
        fault_at(closed_page + i);
        EXPECT_EQ(own_in_handler, 11);
    }
    EXPECT_EQ(raise(SIGSEGV), 0);
    EXPECT_LE(code_told, 0);
    if (GetCurrentUmsThread())
        fault_at((char *)guard_here() - 8); /* a wild pointer there is no reason to try for ever */
    EXPECT_EQ(sigaction(SIGSEGV, &old, NULL), 0);
}

TEST(GuardedThreadPointers, a_handler_of_the_programs_for_sigsegv)
{
    SKIP_UNLESS_GUARDED();
    closed_page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    in_each_kind(handle_own, NULL);
    munmap(closed_page, 4096);
}

static void fault(struct block_case *c)
{
    *closed_page = 1;
}

static void fault_ignored(struct block_case *c)
{
    signal(SIGSEGV, SIG_IGN);
    EXPECT_EQ(raise(SIGSEGV), 0);
    fault(c);
}

static void fault_once(struct block_case *c)
{
    struct sigaction action = {.sa_sigaction = on_segv, .sa_flags = SA_SIGINFO | SA_RESETHAND};
    EXPECT_EQ(sigaction(SIGSEGV, &action, NULL), 0);
    fault_at(closed_page);
    fault(c);
}

static void raise_default(struct block_case *c)
{
    raise(SIGSEGV);
}

static int end_by(void *step)
{
    closed_page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    run_in_worker((block_step)step, &(struct block_case){.fd = {-1, -1}});
    return 0;
}

TEST(GuardedThreadPointers, a_fault_without_a_handler_ends_the_process)
{
    static const block_step steps[] = {fault, fault_ignored, fault_once, raise_default};

    SKIP_UNLESS_GUARDED();
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct child_result result = child_run(end_by, (void *)steps[i], LIMIT_MS);
        EXPECT_CHILD_SIGNAL(result, SIGSEGV);
    }
}
