/* SPDX-License-Identifier: MIT
 *
 * child.h - run a part of a test in a process of its own: for tests of crashes, exits, other users
 * and filters.
 */
#ifndef UMSSHIM_TESTS_SUPPORT_CHILD_H
#define UMSSHIM_TESTS_SUPPORT_CHILD_H

#include "checks.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CHILD_CHECKS_FAILED = 99 }; /* exit code when a check failed in the child */

struct child {
    int pid;
    int output_fd;
    long long started_ms;
};

struct child_result {
    bool timed_out; /* it was killed */
    bool exited;
    int code;   /* if exited */
    int signal; /* if killed by a signal */
    long long took_ms;
    char output[8192]; /* the end of what it wrote to stdout and stderr */
};

/* What it runs; the result is the exit code (_exit). The child is single-threaded, has default
 * signal dispositions and an empty signal mask, and dies with its parent. */
typedef int (*child_body)(void *arg);

struct child child_start(child_body body, void *arg);
struct child_result child_wait(struct child child, int limit_ms);
struct child_result child_run(child_body body, void *arg, int limit_ms);

/* The usual expectation: exit code 0 and no failed check. Prints the output otherwise. A test that
 * is this alone is CALL_TEST(suite, name, EXPECT_IN_CHILD(body, arg, limit_ms)). */
void expect_in_child(struct check_place place, child_body body, void *arg, int limit_ms);
#define EXPECT_IN_CHILD(body, arg, limit_ms) expect_in_child(HERE, (body), (arg), (limit_ms))

/* The same of a child whose output, or end, the test has more to say about. */
void expect_child_ok(struct check_place place, const struct child_result *result);
void expect_child_signal(struct check_place place, const struct child_result *result, int signal);
#define EXPECT_CHILD_OK(result) expect_child_ok(HERE, &(result))
#define EXPECT_CHILD_SIGNAL(result, number) expect_child_signal(HERE, &(result), (number))

/* How often the child's output has these words. */
int child_said(const struct child_result *result, const char *words);

long long now_ms(void);

#ifdef __cplusplus
}
#endif
#endif
