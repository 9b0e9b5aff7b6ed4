/* SPDX-License-Identifier: MIT
 *
 * attributes.c - thread attributes, and what a thread made with them has.
 */
#include "assertion.h"

#include <limits.h>
#include <sched.h>

ASSERTION(attr_defaults)
{
    pthread_attr_t attr;
    struct sched_param param;
    int value = -1;
    EXPECT_EQ(pthread_attr_init(&attr), 0);
    EXPECT_EQ(pthread_attr_getdetachstate(&attr, &value), 0);
    EXPECT_EQ(value, PTHREAD_CREATE_JOINABLE);
    EXPECT_EQ(pthread_attr_getschedpolicy(&attr, &value), 0);
    EXPECT_EQ(value, SCHED_OTHER);
    EXPECT_EQ(pthread_attr_getinheritsched(&attr, &value), 0);
    EXPECT_EQ(value, PTHREAD_INHERIT_SCHED);
    EXPECT_EQ(pthread_attr_getscope(&attr, &value), 0);
    EXPECT_EQ(value, PTHREAD_SCOPE_SYSTEM);
    EXPECT_EQ(pthread_attr_getschedparam(&attr, &param), 0);
    EXPECT_EQ(param.sched_priority, 0);
    EXPECT_EQ(pthread_attr_destroy(&attr), 0);
}

ASSERTION(attr_refuses_what_is_no_value)
{
    pthread_attr_t attr;
    EXPECT_EQ(pthread_attr_init(&attr), 0);
    EXPECT_EQ(pthread_attr_setdetachstate(&attr, 77), EINVAL);
    EXPECT_EQ(pthread_attr_setinheritsched(&attr, 77), EINVAL);
    EXPECT_EQ(pthread_attr_setschedpolicy(&attr, 77), EINVAL);
    EXPECT_EQ(pthread_attr_setscope(&attr, 77), EINVAL);
    EXPECT_EQ(pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN - 1), EINVAL);
}

static void *own_bounds(void *size)
{
    pthread_attr_t attr;
    void *low;
    size_t bytes;
    char here;
    EXPECT_EQ(pthread_getattr_np(pthread_self(), &attr), 0);
    EXPECT_EQ(pthread_attr_getstack(&attr, &low, &bytes), 0);
    EXPECT(&here > (char *)low && &here < (char *)low + bytes);
    EXPECT(bytes >= (size_t)size);
    pthread_attr_destroy(&attr);
    return NULL;
}

ASSERTION(a_thread_lies_within_its_own_stack_bounds)
{
    own_bounds((void *)PTHREAD_STACK_MIN);
}

ASSERTION(stack_size_given_is_had)
{
    pthread_attr_t attr;
    pthread_t thread;
    EXPECT_EQ(pthread_attr_init(&attr), 0);
    EXPECT_EQ(pthread_attr_setstacksize(&attr, 3 << 20), 0);
    EXPECT_EQ(pthread_create(&thread, &attr, own_bounds, (void *)(3 << 20)), 0);
    join(thread);
}

static void *tell_address(void *unused)
{
    char *volatile here = (char *)&here;
    return here;
}

ASSERTION(a_given_stack_is_used)
{
    enum { BYTES = 1 << 20 };
    pthread_attr_t attr;
    pthread_t thread;
    void *stack;
    EXPECT_EQ(posix_memalign(&stack, 65536, BYTES), 0);
    EXPECT_EQ(pthread_attr_init(&attr), 0);
    EXPECT_EQ(pthread_attr_setstack(&attr, stack, BYTES), 0);
    EXPECT_EQ(pthread_create(&thread, &attr, tell_address, NULL), 0);
    char *at = join(thread);
    EXPECT(at > (char *)stack && at < (char *)stack + BYTES);
}

ASSERTION(own_detach_state_is_told)
{
    pthread_attr_t attr;
    int state;
    EXPECT_EQ(pthread_getattr_np(pthread_self(), &attr), 0);
    EXPECT_EQ(pthread_attr_getdetachstate(&attr, &state), 0);
    EXPECT_EQ(state, PTHREAD_CREATE_JOINABLE);
    EXPECT_EQ(pthread_detach(pthread_self()), 0);
    EXPECT_EQ(pthread_getattr_np(pthread_self(), &attr), 0);
    EXPECT_EQ(pthread_attr_getdetachstate(&attr, &state), 0);
    EXPECT_EQ(state, PTHREAD_CREATE_DETACHED);
}

static volatile int detached_ran;

static void *run_detached(void *unused)
{
    set(&detached_ran, 1);
    return unused;
}

ASSERTION(a_detached_thread_cannot_be_joined)
{
    pthread_attr_t attr;
    pthread_t thread;
    EXPECT_EQ(pthread_attr_init(&attr), 0);
    EXPECT_EQ(pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED), 0);
    EXPECT_EQ(pthread_create(&thread, &attr, run_detached, NULL), 0);
    EXPECT(comes_true(&detached_ran));
}
