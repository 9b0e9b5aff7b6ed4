/* SPDX-License-Identifier: MIT
 *
 * checks.h - the checks by which a test judges the program under test, for all kits.
 *
 * GoogleTest's tests (gtest_c.h), the clauses of the conformance kit (kit.h) and the assertions of
 * POSIX (assertion.h) make their checks with it. Each kit decides where a failure leads
 * to: it defines check_failed() and check_skipped().
 *
 * A check may be made on any thread: a worker with a small stack, a scheduler inside its entry
 * point, a child process. It uses no heap, no stream and no lock.
 *
 * EXPECT_ says whether the check holds, and goes on. ASSERT_ and REQUIRE return from the calling
 * function, which must return void.
 */
#ifndef UMSSHIM_TESTS_SUPPORT_CHECKS_H
#define UMSSHIM_TESTS_SUPPORT_CHECKS_H

#include <stdbool.h>
#include <stdint.h>

/* C99's printf has a name of its own in MinGW's libraries. */
#ifdef __clang__
#define CHECK_PRINTF(format_at, first) __attribute__((format(printf, format_at, first)))
#else
#define CHECK_PRINTF(format_at, first) __attribute__((format(gnu_printf, format_at, first)))
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum { CHECK_TEXT = 384 }; /* the longest text of a failure */

struct check_place {
    const char *file;
    int line;
};

/* Each returns whether the check holds, and calls check_failed() if it does not. */
bool check_fail(struct check_place place, const char *format, ...) CHECK_PRINTF(2, 3);
bool check_true(struct check_place place, bool holds, const char *text);
bool check_compare(struct check_place place, const char *a_text, const char *op, const char *b_text,
                   intptr_t a, intptr_t b);
bool check_text(struct check_place place, const char *a_text, const char *a, const char *b);
bool check_succeeds(struct check_place place, const char *text, intptr_t result);
bool check_fails(struct check_place place, const char *text, intptr_t result, unsigned code,
                 unsigned other_code);
bool check_fails_errno(struct check_place place, const char *text, intptr_t result, int code);
void check_skip(const char *format, ...) CHECK_PRINTF(1, 2);

/* The checks made so far in this process. FAIL does not count. */
int check_count(void);
void check_counted(void);

/* The kit defines these. check_failed: a check failed. check_skipped: the test is not possible
 * here, and goes on to its end. */
void check_failed(struct check_place place, const char *text);
void check_skipped(const char *why);

/* This is a function, because gcc takes a literal in a function with setjmp for a variable that may
 * be clobbered. */
struct check_place check_place_at(const char *file, int line);

#ifdef __cplusplus
}
#endif

/* The glue sees GoogleTest's macros of these names instead. */
#ifndef TC_GLUE

#define HERE check_place_at(__FILE__, __LINE__)
/* A last error that no call sets. */
#define SENTINEL 0xD15EA5Eu

#define FAIL(...) check_fail(HERE, __VA_ARGS__)
#define EXPECT(condition) check_true(HERE, (condition), #condition)
/* These take texts as literals, so a failure shows a macro in an argument as the test has it. */
#define CHECK_THAT(condition, text, ...)                                                           \
    ((condition) ? check_true(HERE, true, "") : check_fail(HERE, "wrong: " text "; " __VA_ARGS__))
#define CHECK_COMPARE(a, a_text, op, b, b_text)                                                    \
    check_compare(HERE, a_text, op, b_text, (intptr_t)(a), (intptr_t)(b))
#define CHECK_FAILS(call, text, code, other)                                                       \
    check_fails(HERE, text, (intptr_t)(SetLastError(SENTINEL), call), (code), (other))

#define EXPECT_THAT(condition, ...) CHECK_THAT(condition, #condition, __VA_ARGS__)
#define EXPECT_EQ(a, b) CHECK_COMPARE(a, #a, "==", b, #b)
#define EXPECT_NE(a, b) CHECK_COMPARE(a, #a, "!=", b, #b)
#define EXPECT_LT(a, b) CHECK_COMPARE(a, #a, "<", b, #b)
#define EXPECT_LE(a, b) CHECK_COMPARE(a, #a, "<=", b, #b)
#define EXPECT_GT(a, b) CHECK_COMPARE(a, #a, ">", b, #b)
#define EXPECT_GE(a, b) CHECK_COMPARE(a, #a, ">=", b, #b)
#define EXPECT_STREQ(a, b) check_text(HERE, #a, (a), (b))
/* The result is not zero. A failure shows the last error. */
#define EXPECT_OK(call) check_succeeds(HERE, #call, (intptr_t)(call))
/* The result is zero, with this last error, or with one of these two. */
#define EXPECT_FAILS(call, code) CHECK_FAILS(call, #call, code, code)
#define EXPECT_FAILS_WITH_EITHER(call, code, other) CHECK_FAILS(call, #call, code, other)
/* A call of ntdll's has this result, and leaves the last error alone. */
#define EXPECT_STATUS(call, wanted)                                                                \
    do {                                                                                           \
        SetLastError(SENTINEL);                                                                    \
        EXPECT_EQ(call, wanted);                                                                   \
        EXPECT_EQ(GetLastError(), SENTINEL);                                                       \
    } while (0)
/* The result is -1, with this errno. */
#define EXPECT_ERRNO(call, code)                                                                   \
    (errno = 0, check_fails_errno(HERE, #call, (intptr_t)(call), (code)))

/* Returns where a check, or a function that made checks and says whether they hold, is false. */
#define REQUIRE(check)                                                                             \
    do {                                                                                           \
        if (!(check))                                                                              \
            return;                                                                                \
    } while (0)

#define ASSERT_THAT(condition, ...) REQUIRE(CHECK_THAT(condition, #condition, __VA_ARGS__))
#define ASSERT_EQ(a, b) REQUIRE(CHECK_COMPARE(a, #a, "==", b, #b))
#define ASSERT_NE(a, b) REQUIRE(CHECK_COMPARE(a, #a, "!=", b, #b))
#define ASSERT_LT(a, b) REQUIRE(CHECK_COMPARE(a, #a, "<", b, #b))
#define ASSERT_GE(a, b) REQUIRE(CHECK_COMPARE(a, #a, ">=", b, #b))
#define ASSERT_OK(call) REQUIRE(check_succeeds(HERE, #call, (intptr_t)(call)))

#define SKIP(...)                                                                                  \
    do {                                                                                           \
        check_skip(__VA_ARGS__);                                                                   \
        return;                                                                                    \
    } while (0)

#endif
#endif
