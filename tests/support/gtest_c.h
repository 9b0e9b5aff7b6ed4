/* SPDX-License-Identifier: MIT
 *
 * gtest_c.h - GoogleTest behind a C face: tests are C, the glue (gtest_c.cc) alone is C++.
 *
 * A check may be made on any thread: a worker with a small stack, a scheduler inside its entry
 * point, a child process. A failed check is formatted into a preallocated slot (no heap, no stdio
 * stream, no lock), written to stderr at once with one system call, and handed to GoogleTest by the
 * thread that runs the test when its body has returned. EXPECT_ goes on, ASSERT_ returns from the
 * calling function, which must return void.
 *
 * Each test has a time limit (TEST_LIMIT_SECONDS, set per program by the build). Shortly before it
 * is over, a watchdog thread says which test hangs and where each thread is, and aborts.
 * UMSSHIM_TEST_LIMIT=0 in the environment switches that off, for debuggers.
 */
#ifndef UMSSHIM_TESTS_SUPPORT_GTEST_C_H
#define UMSSHIM_TESTS_SUPPORT_GTEST_C_H

#include <stdint.h>

#ifndef TEST_LIMIT_SECONDS
#define TEST_LIMIT_SECONDS 30
#endif

/* C99's printf, which in MinGW's libraries has a name of its own. */
#ifdef __clang__
#define TC_PRINTF(format_at, first) __attribute__((format(printf, format_at, first)))
#else
#define TC_PRINTF(format_at, first) __attribute__((format(gnu_printf, format_at, first)))
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*tc_body)(void);

void tc_register(const char *suite, const char *name, const char *file, int line, tc_body body,
                 int limit_seconds);

/* Record a failure; always returns 0, so that it can stand in a condition. */
int tc_fail(const char *file, int line, const char *format, ...) TC_PRINTF(3, 4);
void tc_skip(const char *format, ...) TC_PRINTF(1, 2);

/* Failures recorded so far in this process. */
int tc_failures(void);

/* A line on stderr in one system call; for what helps to understand a failure. */
void tc_note(const char *format, ...) TC_PRINTF(1, 2);

/* UMSSHIM_TEST_SEED, or a fresh one; printed, so that a failed run can be repeated. */
unsigned tc_seed(void);

/* All return nonzero when the check holds. */
int tc_compare(const char *file, int line, const char *a_text, const char *op, const char *b_text,
               intptr_t a, intptr_t b);
int tc_same_text(const char *file, int line, const char *a_text, const char *a, const char *b);
int tc_succeeds(const char *file, int line, const char *text, intptr_t result);
int tc_fails(const char *file, int line, const char *text, intptr_t result, unsigned code,
             unsigned other_code);
int tc_fails_errno(const char *file, int line, const char *text, intptr_t result, int code);

/* Used between the C and the C++ half of the support library. */
struct tc_record {
    const char *file;
    int line;
    int ready; /* written last (release) by the thread that recorded it */
    char text[384];
};
int tc_records(struct tc_record **records);
const char *tc_skip_reason(void);
void tc_reset(void);
void tc_describe_threads(void);
__attribute__((noreturn)) void tc_end_process(void);

#ifdef __cplusplus
}
#endif

/* The glue sees GoogleTest's macros of these names instead. */
#ifndef TC_GLUE

#define TEST(suite, name)                                                                          \
    static void suite##_##name(void);                                                              \
    __attribute__((constructor)) static void suite##_##name##_register(void)                       \
    {                                                                                              \
        tc_register(#suite, #name, __FILE__, __LINE__, suite##_##name, TEST_LIMIT_SECONDS);        \
    }                                                                                              \
    static void suite##_##name(void)

#define TC_HERE __FILE__, __LINE__
#define TC_OR_RETURN(check)                                                                        \
    do {                                                                                           \
        if (!(check))                                                                              \
            return;                                                                                \
    } while (0)

#define TC_CMP(a, op, b) tc_compare(TC_HERE, #a, #op, #b, (intptr_t)(a), (intptr_t)(b))
/* Nonzero result wanted; a failure tells the last error. */
#define TC_OK(call) tc_succeeds(TC_HERE, #call, (intptr_t)(call))
/* A zero result and this last error wanted; the last error is set to a sentinel before. */
#define TC_SENTINEL 0xD15EA5Eu
#define TC_FAILS(call, code, other)                                                                \
    (SetLastError(TC_SENTINEL), tc_fails(TC_HERE, #call, (intptr_t)(call), (code), (other)))
/* -1 and this errno wanted. */
#define TC_ERRNO(call, code) (errno = 0, tc_fails_errno(TC_HERE, #call, (intptr_t)(call), (code)))

#define FAIL(...) ((void)tc_fail(TC_HERE, __VA_ARGS__))
#define EXPECT_THAT(condition, ...)                                                                \
    ((void)((condition) ? 1 : tc_fail(TC_HERE, "wrong: " #condition "; " __VA_ARGS__)))
#define ASSERT_THAT(condition, ...)                                                                \
    TC_OR_RETURN((condition) ? 1 : tc_fail(TC_HERE, "wrong: " #condition "; " __VA_ARGS__))

#define EXPECT_EQ(a, b) ((void)TC_CMP(a, ==, b))
#define EXPECT_NE(a, b) ((void)TC_CMP(a, !=, b))
#define EXPECT_LT(a, b) ((void)TC_CMP(a, <, b))
#define EXPECT_LE(a, b) ((void)TC_CMP(a, <=, b))
#define EXPECT_GT(a, b) ((void)TC_CMP(a, >, b))
#define EXPECT_GE(a, b) ((void)TC_CMP(a, >=, b))
#define EXPECT_STREQ(a, b) ((void)tc_same_text(TC_HERE, #a, (a), (b)))
#define EXPECT_OK(call) ((void)TC_OK(call))
#define EXPECT_FAILS(call, code) ((void)TC_FAILS(call, code, code))
#define EXPECT_FAILS_WITH_EITHER(call, code, other) ((void)TC_FAILS(call, code, other))
#define EXPECT_ERRNO(call, code) ((void)TC_ERRNO(call, code))

#define ASSERT_EQ(a, b) TC_OR_RETURN(TC_CMP(a, ==, b))
#define ASSERT_NE(a, b) TC_OR_RETURN(TC_CMP(a, !=, b))
#define ASSERT_LT(a, b) TC_OR_RETURN(TC_CMP(a, <, b))
#define ASSERT_GE(a, b) TC_OR_RETURN(TC_CMP(a, >=, b))
#define ASSERT_OK(call) TC_OR_RETURN(TC_OK(call))

#define SKIP(...)                                                                                  \
    do {                                                                                           \
        tc_skip(__VA_ARGS__);                                                                      \
        return;                                                                                    \
    } while (0)

#endif
#endif
