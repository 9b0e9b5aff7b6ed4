/* SPDX-License-Identifier: MIT
 *
 * threads.c - creating, joining, detaching, ending, naming threads; what they inherit.
 */
#include "assertion.h"

#include <fenv.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <threads.h>

static pthread_t first;

static void *give_back(void *arg)
{
    return arg;
}

ASSERTION(join_gives_the_result)
{
    for (long i = 0; i < 50; i++)
        EXPECT_EQ((long)join(start(give_back, (void *)i)), i);
}

static void *exit_with(void *arg)
{
    pthread_exit(arg);
}
ASSERTION(join_gives_what_exit_got)
{
    EXPECT_EQ((long)join(start(exit_with, (void *)77)), 77);
}

ASSERTION(equal_means_the_same_thread)
{
    pthread_t self = pthread_self();
    EXPECT(pthread_equal(self, pthread_self()));
    sleep_ms(2);
    EXPECT(pthread_equal(self, pthread_self()));
    pthread_t other = start(give_back, NULL);
    EXPECT(!pthread_equal(self, other));
    join(other);
}

ASSERTION(a_thread_that_joins_itself_deadlocks)
{
    EXPECT_EQ(pthread_join(pthread_self(), NULL), EDEADLK);
}

static volatile int gone;
static void *join_first(void *unused)
{
    void *result;
    EXPECT_EQ(pthread_join(first, &result), 0);
    EXPECT_EQ((long)result, 9);
    _exit(0);
    return unused;
}
ASSERTION(self_is_joined_by_another)
{
    first = pthread_self();
    start(join_first, NULL);
    sleep_ms(50);
    pthread_exit((void *)9);
}

static void *work_on(void *unused)
{
    sleep_ms(100);
    set(&gone, 1);
    exit(0);
    return unused;
}
ASSERTION(others_go_on_when_self_exits)
{
    start(work_on, NULL);
    pthread_exit(NULL);
}

ASSERTION(self_is_detached)
{
    EXPECT_EQ(pthread_detach(pthread_self()), 0);
    int error = pthread_join(pthread_self(),
                             NULL); /* both are wrong; glibc looks for EDEADLK first since 2.43 */
    EXPECT(error == EINVAL || error == EDEADLK);
}

static void *tell_mask(void *mask)
{
    sigset_t pending;
    EXPECT_EQ(pthread_sigmask(SIG_BLOCK, NULL, mask), 0);
    EXPECT_EQ(sigpending(&pending), 0);
    EXPECT(!sigismember(&pending, SIGUSR1)); /* what is pending at the creator is not inherited */
    return NULL;
}
ASSERTION(the_mask_is_inherited)
{
    sigset_t set, mask;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    EXPECT_EQ(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
    EXPECT_EQ(raise(SIGUSR1), 0);
    join(start(tell_mask, &mask));
    EXPECT(sigismember(&mask, SIGUSR1));
    EXPECT(!sigismember(&mask, SIGUSR2));
}

static void *tell_rounding(void *unused)
{
    return (void *)(long)fegetround();
}
ASSERTION(the_floating_point_environment_is_inherited)
{
    EXPECT_EQ(fesetround(FE_UPWARD), 0);
    sleep_ms(2);
    EXPECT_EQ(fegetround(), FE_UPWARD);
    EXPECT_EQ((long)join(start(tell_rounding, NULL)), FE_UPWARD);
}

static int c11(void *arg)
{
    return (int)(long)arg;
}
ASSERTION(threads_of_c11)
{
    thrd_t thread;
    int result;
    EXPECT_EQ(thrd_create(&thread, c11, (void *)5), thrd_success);
    EXPECT_EQ(thrd_join(thread, &result), thrd_success);
    EXPECT_EQ(result, 5);
}

static volatile int prepared, parent, child_ran;
static void prepare(void)
{
    set(&prepared, 1);
}
static void in_parent(void)
{
    set(&parent, 1);
}
static void in_child(void)
{
    set(&child_ran, 1);
}
ASSERTION(fork_handlers_run)
{
    int status;
    EXPECT_EQ(pthread_atfork(prepare, in_parent, in_child), 0);
    pid_t child = fork();
    if (child == 0)
        _exit(get(&prepared) && get(&child_ran) && !get(&parent) ? 0 : 1);
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT(get(&prepared) && get(&parent) && !get(&child_ran));
}

ASSERTION(names_are_kept)
{
    char name[16];
    EXPECT_EQ(pthread_setname_np(pthread_self(), "a name"), 0);
    sleep_ms(5);
    EXPECT_EQ(pthread_getname_np(pthread_self(), name, sizeof name), 0);
    EXPECT(!strcmp(name, "a name"));
    EXPECT_EQ(pthread_setname_np(pthread_self(), "a name that is too long"), ERANGE);
}

static void *make_another(void *depth)
{
    if (depth)
        return (char *)join(start(make_another, (char *)depth - 1)) + 1;
    return NULL;
}
ASSERTION(threads_make_threads)
{
    EXPECT_EQ((long)join(start(make_another, (void *)20)), 20);
}
