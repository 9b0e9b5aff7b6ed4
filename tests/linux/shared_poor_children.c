/* SPDX-License-Identifier: MIT
 *
 * shared_poor_children.c - a child after fork that has no memory, or no descriptor, to be one of the
 * processes that share objects: its waits for its parent's say so, for nobody would end them. It
 * waits once it has what it needs.
 *
 * modes: default, UMSSHIM_DETECT=0
 * with: shared_sync.c
 * options: LIMIT 120
 */
#include "shared_sync.h"

#include <limits.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

static HANDLE inherited;

static void CALLBACK see(PVOID unused, BOOLEAN timed_out)
{
    (void)unused, (void)timed_out;
}

#define EXPECT_NO_MEMORY(call, failure)                                                            \
    do {                                                                                           \
        SetLastError(0);                                                                           \
        EXPECT_EQ(call, failure);                                                                  \
        EXPECT_EQ(GetLastError(), ERROR_NOT_ENOUGH_MEMORY);                                        \
    } while (0)

static void *stay(void *unused)
{
    for (;;)
        pause();
    return unused;
}

/* libc has the stacks of the parent's threads, and gives them to the child's, but none that is far
 * too large. */
static void use_up_stacks(void)
{
    pthread_attr_t attributes;
    pthread_t thread;

    pthread_attr_init(&attributes);
    for (size_t bytes = 16 << 20; bytes >= (size_t)PTHREAD_STACK_MIN; bytes /= 2) {
        pthread_attr_setstacksize(&attributes, bytes);
        while (pthread_create(&thread, &attributes, stay, NULL) == 0)
            ;
    }
    pthread_attr_destroy(&attributes);
}

static int wait_without(int resource)
{
    HANDLE own = CreateEventA(NULL, FALSE, FALSE, NULL);
    HANDLE both[] = {own, inherited};
    HANDLE wait;
    struct rlimit limit;
    struct rlimit before;

    Sleep(1); /* this thread has its memory */
    EXPECT_EQ(getrlimit(resource, &before), 0);
    limit = before;
    limit.rlim_cur = 0;
    EXPECT_EQ(setrlimit(resource, &limit), 0);
    if (resource == RLIMIT_AS)
        use_up_stacks();
    EXPECT_NO_MEMORY(WaitForSingleObject(inherited, SOON), WAIT_FAILED);
    EXPECT_NO_MEMORY(WaitForMultipleObjects(2, both, FALSE, SOON), WAIT_FAILED);
    EXPECT_NO_MEMORY(WaitForMultipleObjects(2, both, TRUE, SOON), WAIT_FAILED);
    EXPECT_NO_MEMORY(SignalObjectAndWait(own, inherited, SOON, FALSE), WAIT_FAILED);
    EXPECT_NO_MEMORY(RegisterWaitForSingleObject(&wait, inherited, see, NULL, SOON, 0), FALSE);
    EXPECT_EQ(WaitForSingleObject(own, 0), WAIT_TIMEOUT);
    EXPECT_EQ(setrlimit(resource, &before), 0);
    partner_ready();
    EXPECT_EQ(WaitForSingleObject(inherited, SOON), WAIT_OBJECT_0);
    return tc_failures() != 0;
}

static int without_memory(enum kind unused)
{
    (void)unused;
    return wait_without(RLIMIT_AS);
}

static int without_descriptors(enum kind unused)
{
    (void)unused;
    return wait_without(RLIMIT_NOFILE);
}

static int forked(void *descriptors)
{
    inherited = CreateEventA(NULL, FALSE, FALSE, name_of("inherited"));
    struct partner partner =
        partner_start(descriptors ? without_descriptors : without_memory, KIND_PLAIN);
    expect_ready(&partner);
    EXPECT_OK(SetEvent(inherited));
    expect_end(&partner, 0);
    return 0;
}

CALL_TEST(SharedPoorChildren, say_that_they_have_no_memory, EXPECT_IN_CHILD(forked, NULL, LIMIT_MS))

CALL_TEST(SharedPoorChildren, say_that_they_have_no_descriptor,
          EXPECT_IN_CHILD(forked, "", LIMIT_MS))
