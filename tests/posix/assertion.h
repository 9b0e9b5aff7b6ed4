/* SPDX-License-Identifier: MIT
 *
 * assertion.h - what the POSIX standard promises, one assertion at a time.
 *
 * A program holds assertions by name, ASSERTION(name) { body }; its argument says which one it checks,
 * in a process of its own. It knows nothing of umsshim: main_as_worker.c runs it in a plain thread
 * and in a worker, and CMakeLists.txt finds the names in the source, each at the start of a line.
 *
 * Exit status: 0 it holds, 1 it does not (a line on stderr says what was seen), 77 the system lacks
 * what it is about.
 */
#ifndef UMSSHIM_TESTS_POSIX_ASSERTION_H
#define UMSSHIM_TESTS_POSIX_ASSERTION_H

#include "../support/checks.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct assertion {
    const char *name;
    void (*check)(void);
    struct assertion *next;
};

static struct assertion *assertions;

#define ASSERTION(id)                                                                              \
    static void check_##id(void);                                                                  \
    static __attribute__((constructor)) void add_##id(void)                                        \
    {                                                                                              \
        static struct assertion self = {#id, check_##id, NULL};                                    \
        self.next = assertions;                                                                    \
        assertions = &self;                                                                        \
    }                                                                                              \
    static void check_##id(void)

/* One that is one call: a row of those that play one function's cases. */
#define CALL_ASSERTION(id, ...)                                                                    \
    ASSERTION(id)                                                                                  \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }

void check_failed(struct check_place place, const char *text)
{
    fprintf(stderr, "%s:%d: %s (errno %d)\n", place.file, place.line, text, errno);
    _exit(1);
}

void check_skipped(const char *why)
{
    fprintf(stderr, "not here: %s\n", why);
    _exit(77);
}

static inline long long now_on(clockid_t clock)
{
    struct timespec ts;
    clock_gettime(clock, &ts);
    return ts.tv_sec * 1000000000ll + ts.tv_nsec;
}

static inline long long ms_since(long long began)
{
    return (now_on(CLOCK_MONOTONIC) - began) / 1000000;
}

static inline struct timespec in_ms(clockid_t clock, long ms)
{
    long long at = now_on(clock) + ms * 1000000ll;
    return (struct timespec){at / 1000000000, at % 1000000000};
}

static inline void sleep_ms(long ms)
{
    struct timespec ts = {ms / 1000, ms % 1000 * 1000000};
    while (nanosleep(&ts, &ts) && errno == EINTR)
        ;
}

/* False after 10 seconds without it. */
static inline int comes_true(volatile int *flag)
{
    for (int i = 0; i < 10000 && !__atomic_load_n(flag, __ATOMIC_ACQUIRE); i++)
        sleep_ms(1);
    return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

static inline void set(volatile int *flag, int value)
{
    __atomic_store_n(flag, value, __ATOMIC_RELEASE);
}

static inline int get(volatile int *flag)
{
    return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

static inline pthread_t start(void *(*routine)(void *), void *arg)
{
    pthread_t thread;
    EXPECT_EQ(pthread_create(&thread, NULL, routine, arg), 0);
    return thread;
}

static inline void *join(pthread_t thread)
{
    void *result;
    EXPECT_EQ(pthread_join(thread, &result), 0);
    return result;
}

int main(int argc, char **argv)
{
    for (struct assertion *a = assertions; a; a = a->next) {
        if (argc == 2 && !strcmp(argv[1], a->name)) {
            a->check();
            return 0;
        }
    }
    fprintf(stderr, "usage: %s ASSERTION, one of:\n", argv[0]);
    for (struct assertion *a = assertions; a; a = a->next)
        fprintf(stderr, "  %s\n", a->name);
    return 2;
}

#endif
