/* SPDX-License-Identifier: MIT
 *
 * gtest_c.h - GoogleTest behind a C face: tests are C, the glue (gtest_c.cc) alone is C++.
 *
 * checks.h has the checks. A failed one is kept in a preallocated slot, written to stderr at once
 * with one system call, and handed to GoogleTest by the thread that runs the test when its body has
 * returned.
 *
 * Each test has a time limit (TEST_LIMIT_SECONDS, set per program by the build). Shortly before its
 * end a watchdog thread reports the test that hangs and the place of each thread, and aborts.
 * UMSSHIM_TEST_LIMIT=0 in the environment switches that off, for debuggers.
 */
#ifndef UMSSHIM_TESTS_SUPPORT_GTEST_C_H
#define UMSSHIM_TESTS_SUPPORT_GTEST_C_H

#ifndef TEST_LIMIT_SECONDS
#define TEST_LIMIT_SECONDS 30
#endif

#include "checks.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*tc_body)(void);

void tc_register(const char *suite, const char *name, const char *file, int line, tc_body body,
                 int limit_seconds);

/* Failures recorded so far in this process. */
int tc_failures(void);

/* Writes a line on stderr by one system call, to explain a failure. */
void tc_note(const char *format, ...) CHECK_PRINTF(1, 2);

/* UMSSHIM_TEST_SEED, or a new seed. It is printed, so that a failed run can be repeated. */
unsigned tc_seed(void);

/* Only for the C and the C++ half of the support library. */
struct tc_record {
    struct check_place place;
    int ready; /* written last (release) by the thread that recorded it */
    char text[CHECK_TEXT];
};
int tc_records(struct tc_record **records);
const char *tc_skip_reason(void);
void tc_reset(void);
void tc_describe_threads(void);
__attribute__((noreturn)) void tc_end_process(void);

#ifdef __cplusplus
}
#endif

/* The glue sees GoogleTest's macro of this name instead. */
#ifndef TC_GLUE

#define TEST(suite, name)                                                                          \
    static void suite##_##name(void);                                                              \
    __attribute__((constructor)) static void suite##_##name##_register(void)                       \
    {                                                                                              \
        tc_register(#suite, #name, __FILE__, __LINE__, suite##_##name, TEST_LIMIT_SECONDS);        \
    }                                                                                              \
    static void suite##_##name(void)

/* A test that is one call: for rows of tests that call one function with different cases. */
#define CALL_TEST(suite, name, ...)                                                                \
    TEST(suite, name)                                                                              \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }

#endif
#endif
