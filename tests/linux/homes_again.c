/* SPDX-License-Identifier: MIT
 *
 * Hazard: a worker gets the kernel thread of a former worker and finds that one's state in it; or
 * no home is ever used again, so that each worker costs a thread.
 *
 * modes: ways
 */
#include "fleet.h"
#include "gtest_c.h"
#include "many_children.h"

#include <dlfcn.h>
#include <errno.h>
#include <fenv.h>
#include <locale.h>
#include <netdb.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

enum { ROUNDS = 6, DEEP = 256 << 10 };

extern int __cxa_thread_atexit_impl(void (*)(void *), void *, void *);
extern void *__dso_handle;

static _Thread_local int begins_with_7 = 7;
static _Thread_local char begins_with_0[256];
static pthread_key_t with_destructor, without;
static DWORD tls_index, fls_index;
static locale_t other_locale;
static pthread_mutex_t robust;
static int ended; /* destructors and callbacks */
static int expected_processors, expected_niceness;
static char expected_name[16];

static void count(void *unused)
{
    flag_add(&ended, 1);
}

static void WINAPI count_fls(void *unused)
{
    count(unused);
}

static int processors(void)
{
    cpu_set_t set;

    EXPECT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
    return CPU_COUNT(&set);
}

static int niceness(void)
{
    return getpriority(PRIO_PROCESS, 0);
}

/* ---- What a new thread has ------------------------------------------------------------------- */

static void find_libc_new(void)
{
    int state = -1;

    EXPECT_EQ(errno, 0);
    EXPECT_EQ(h_errno, 0);
    EXPECT_EQ(dlerror(), NULL);
    EXPECT_EQ(uselocale((locale_t)0), LC_GLOBAL_LOCALE);
    EXPECT_EQ(pthread_getspecific(with_destructor), NULL);
    EXPECT_EQ(pthread_getspecific(without), NULL);
    EXPECT_EQ(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state), 0);
    EXPECT_EQ(state, PTHREAD_CANCEL_ENABLE);
    EXPECT_EQ(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &state), 0);
    EXPECT_EQ(state, PTHREAD_CANCEL_DEFERRED);
    EXPECT_EQ(fegetround(), FE_TONEAREST);
}

static void find_kernels_new(void)
{
    char name[16] = "";
    sigset_t mask;
    stack_t stack = {0};

    EXPECT_EQ(prctl(PR_GET_NAME, name), 0);
    EXPECT_STREQ(name, expected_name);
    EXPECT_EQ(pthread_sigmask(SIG_BLOCK, NULL, &mask), 0);
    EXPECT_EQ(sigismember(&mask, SIGUSR2), 0);
    EXPECT_EQ(sigaltstack(NULL, &stack), 0);
    EXPECT_EQ(stack.ss_flags, SS_DISABLE);
    EXPECT_EQ(processors(), expected_processors);
    EXPECT_EQ(niceness(), expected_niceness);
}

static void find_all_new(struct worker *self)
{
    EXPECT_EQ(GetLastError(), 0u);
    find_libc_new();
    EXPECT_EQ(begins_with_7, 7);
    for (size_t i = 0; i < sizeof begins_with_0; i++)
        EXPECT_EQ(begins_with_0[i], 0);
    find_kernels_new();
    EXPECT_EQ(TlsGetValue(tls_index), NULL);
    EXPECT_EQ(FlsGetValue(fls_index), NULL);
    EXPECT_EQ(GetThreadErrorMode(), 0u);
    EXPECT_EQ(GetThreadLocale(), GetUserDefaultLCID());
    EXPECT_EQ(IsThreadAFiber(), FALSE);
    EXPECT_EQ(((NT_TIB *)NtCurrentTeb())->ArbitraryUserPointer, NULL);
}

/* ---- What a worker leaves -------------------------------------------------------------------- */

static void leave_variables(struct worker *self)
{
    begins_with_7 = self->index;
    memset(begins_with_0, 1, sizeof begins_with_0);
    errno = EBUSY;
    SetLastError(5);
    ((NT_TIB *)NtCurrentTeb())->ArbitraryUserPointer = self;
}

static void leave_a_variable_of_libcs(struct worker *self)
{
    h_errno = HOST_NOT_FOUND;
}

static void leave_key(struct worker *self)
{
    EXPECT_EQ(pthread_setspecific(with_destructor, self), 0);
}

static void leave_key_without_destructor(struct worker *self)
{
    EXPECT_EQ(pthread_setspecific(without, self), 0);
    flag_add(&ended, 1); /* as every row here does once */
}

static void leave_object(struct worker *self)
{
    EXPECT_EQ(__cxa_thread_atexit_impl(count, self, &__dso_handle), 0);
}

static void leave_locale(struct worker *self)
{
    EXPECT_NE(uselocale(other_locale), (locale_t)0);
}

static void leave_an_error_of_the_linker(struct worker *self)
{
    EXPECT_EQ(dlopen("/nonexistent/library.so", RTLD_NOW), NULL);
}

static void leave_cancellation(struct worker *self)
{
    EXPECT_EQ(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL), 0);
    EXPECT_EQ(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL), 0);
}

static void leave_name(struct worker *self)
{
    EXPECT_EQ(prctl(PR_SET_NAME, "left behind"), 0);
}

static void leave_signals(struct worker *self)
{
    static char memory[1 << 16];
    const stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    EXPECT_EQ(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
    EXPECT_EQ(sigaltstack(&stack, NULL), 0);
}

static void leave_processors(struct worker *self)
{
    cpu_set_t all, one;
    int first = 0;

    EXPECT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
    while (first < CPU_SETSIZE - 1 && !CPU_ISSET(first, &all))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    EXPECT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
}

static void leave_niceness(struct worker *self)
{
    if (expected_niceness < 19)
        EXPECT_EQ(setpriority(PRIO_PROCESS, (id_t)gettid(), expected_niceness + 1), 0);
}

/* The kernel goes through the list of the thread that ends. */
static void leave_robust_mutex(struct worker *self)
{
    int error = pthread_mutex_lock(&robust);

    EXPECT_THAT(error == EOWNERDEAD || self->arg == NULL, "the one before has left it: %s",
                strerror(error));
    if (error == EOWNERDEAD)
        EXPECT_EQ(pthread_mutex_consistent(&robust), 0);
}

static void leave_slots(struct worker *self)
{
    EXPECT_OK(TlsSetValue(tls_index, self));
    EXPECT_OK(FlsSetValue(fls_index, self));
}

static void leave_error_mode(struct worker *self)
{
    EXPECT_OK(SetThreadErrorMode(SEM_FAILCRITICALERRORS, NULL));
    EXPECT_OK(SetThreadLocale(LOCALE_INVARIANT));
}

static void leave_fiber(struct worker *self)
{
    EXPECT_NE(ConvertThreadToFiber(self), NULL);
}

static void leave_rounding(struct worker *self)
{
    EXPECT_EQ(fesetround(FE_UPWARD), 0);
}

static void leave_detached(struct worker *self)
{
    EXPECT_EQ(pthread_detach(pthread_self()), 0);
}

static void leave_deep_stack(struct worker *self)
{
    volatile char deep[DEEP];

    memset((char *)deep, 0xa5, sizeof deep);
}

static void leave_nothing(struct worker *self)
{
}

static const struct {
    const char *what;
    worker_body leave;
    int ends;     /* destructors and callbacks that it leaves */
    bool renewed; /* its home is the next worker's */
} rows[] = {
    {"nothing", leave_nothing, 0, true},
    {"variables, errors", leave_variables, 0, true},
    {"a variable of libc's", leave_a_variable_of_libcs, 0, false},
    {"a key's value", leave_key, 1, true},
    {"a value without a destructor", leave_key_without_destructor, 1, true},
    {"a thread-local object", leave_object, 1, true},
    {"a locale", leave_locale, 0, false},
    {"an error of the linker's", leave_an_error_of_the_linker, 0, false},
    {"cancellation's state and type", leave_cancellation, 0, false},
    {"a name", leave_name, 0, false},
    {"mask and alternate stack", leave_signals, 0, true},
    {"processors", leave_processors, 0, false},
    {"niceness", leave_niceness, 0, false},
    {"slots", leave_slots, 1, false},
    {"the error mode, a locale of Win32's", leave_error_mode, 0, false},
    {"a fiber", leave_fiber, 0, false},
    {"rounding", leave_rounding, 0, true},
    {"itself detached", leave_detached, 0, false},
    {"a deep stack", leave_deep_stack, 0, true},
    {"a robust mutex", leave_robust_mutex, 0, false},
};

/* ---- One after the other --------------------------------------------------------------------- */

static void leave_and_find(struct worker *boss)
{
    expected_processors = processors();
    expected_niceness = niceness();
    EXPECT_EQ(prctl(PR_GET_NAME, expected_name), 0);
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        int before = flag_get(&ended), failed = tc_failures(), again = 0;

        for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
            DWORD left = make_and_join(boss, rows[row].leave, i ? boss : NULL);

            again += make_and_join(boss, find_all_new, NULL) == left;
        }
        if (rows[row].renewed)
            expect_again(again, ROUNDS);
        EXPECT_THAT(tc_failures() == failed, "left: %s", rows[row].what);
        EXPECT_EQ(flag_get(&ended) - before, ROUNDS * rows[row].ends);
    }
}

TEST(HomesAgain, nothing_that_a_worker_leaves_is_found_by_another)
{
    pthread_mutexattr_t attributes;

    ASSERT_EQ(pthread_key_create(&with_destructor, count), 0);
    ASSERT_EQ(pthread_key_create(&without, NULL), 0);
    tls_index = TlsAlloc();
    fls_index = FlsAlloc(count_fls);
    other_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    ASSERT_NE(other_locale, (locale_t)0);
    ASSERT_EQ(pthread_mutexattr_init(&attributes), 0);
    ASSERT_EQ(pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST), 0);
    ASSERT_EQ(pthread_mutex_init(&robust, &attributes), 0);
    run_boss(leave_and_find, 2 * ROUNDS * (int)(sizeof rows / sizeof *rows), NULL);
}

/* ---- Used again ------------------------------------------------------------------------------ */

static void make_many(struct worker *boss)
{
    expect_homes_used_again(boss, leave_nothing, NULL);
}

TEST(HomesAgain, a_worker_that_leaves_nothing_costs_no_thread)
{
    run_boss(make_many, MANY, NULL);
}
