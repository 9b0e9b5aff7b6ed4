/* SPDX-License-Identifier: MIT
 *
 * win32_crt_values.c - the C run-time library's sorting, random numbers, floating-point control and
 * safe arithmetic.
 *
 * modes: win32
 */
#define _CRT_RAND_S
#include <windows.h>

#include "gtest_c.h"
#include "kinds.h"

#include <errno.h>
#include <float.h>
#include <intsafe.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

static int compare(void *context, const void *left, const void *right)
{
    ++*(int *)context;
    return *(const int *)left - *(const int *)right;
}

TEST_IN_EACH_KIND(Win32CrtValues, sorted_and_found)
{
    int values[] = {5, 3, 9, 1, 7};
    int calls = 0;
    int wanted = 7;
    int missing = 6;

    qsort_s(values, 5, sizeof *values, compare, &calls);
    for (int i = 0; i < 5; i++)
        EXPECT_EQ(values[i], 1 + 2 * i);
    EXPECT_GE(calls, 4);
    EXPECT_EQ(bsearch_s(&wanted, values, 5, sizeof *values, compare, &calls), &values[3]);
    EXPECT_EQ(bsearch_s(&missing, values, 5, sizeof *values, compare, &calls), NULL);
    EXPECT_EQ(bsearch_s(&missing, values, 0, sizeof *values, compare, &calls), NULL);
}

/* Eight numbers alike come once in 2^224 runs. */
TEST_IN_EACH_KIND(Win32CrtValues, chance)
{
    unsigned first = 0;
    int different = 0;

    ASSERT_EQ(rand_s(&first), 0);
    for (int i = 0; i < 7; i++) {
        unsigned next = 0;

        ASSERT_EQ(rand_s(&next), 0);
        different |= next != first;
    }
    EXPECT_OK(different);
}

TEST_IN_EACH_KIND(Win32CrtValues, rounding)
{
    volatile double one = 1.0;
    volatile double three = 3.0;
    unsigned before = _controlfp(0, 0);
    double down;
    double up;

    EXPECT_EQ(before & _MCW_RC, _RC_NEAR);
    EXPECT_EQ(before & _EM_INVALID, _EM_INVALID);
    EXPECT_EQ(_controlfp(_RC_DOWN, _MCW_RC) & _MCW_RC, _RC_DOWN);
    down = one / three;
    EXPECT_EQ(_controlfp(_RC_UP, _MCW_RC) & _MCW_RC, _RC_UP);
    up = one / three;
    _controlfp(before, _MCW_RC);
    EXPECT_EQ(_controlfp(0, 0) & _MCW_RC, _RC_NEAR);
    EXPECT_OK(down < up);
}

TEST_IN_EACH_KIND(Win32CrtValues, exceptions_that_were_seen)
{
    volatile double one = 1.0;
    volatile double nothing = 0.0;
    volatile double result;

    _clearfp();
    EXPECT_EQ(_statusfp() & _EM_ZERODIVIDE, 0);
    result = one / nothing;
    EXPECT_EQ(_statusfp() & _EM_ZERODIVIDE, _EM_ZERODIVIDE);
    EXPECT_EQ(_clearfp() & _EM_ZERODIVIDE, _EM_ZERODIVIDE);
    EXPECT_EQ(_statusfp() & _EM_ZERODIVIDE, 0);
    EXPECT_OK(!_finite(result) && !_isnan(result));
    EXPECT_EQ(_fpclass(result), _FPCLASS_PINF);
    EXPECT_EQ(_fpclass(-nothing), _FPCLASS_NZ);
    EXPECT_EQ(_fpclass(1e-310), _FPCLASS_PD);
    EXPECT_EQ(_fpclass(-2.5), _FPCLASS_NN);
    EXPECT_OK(_isnan(nothing / nothing));
    _clearfp();
}

TEST_IN_EACH_KIND(Win32CrtValues, safe_arithmetic)
{
    UINT sum = 7;
    size_t product = 7;
    int converted = 7;

    EXPECT_EQ(UIntAdd(1, 2, &sum), S_OK);
    EXPECT_EQ(sum, 3);
    EXPECT_EQ(UIntAdd(0xFFFFFFFFu, 1, &sum), INTSAFE_E_ARITHMETIC_OVERFLOW);
    EXPECT_EQ(sum, 0xFFFFFFFFu);
    EXPECT_EQ(UIntSub(1, 2, &sum), INTSAFE_E_ARITHMETIC_OVERFLOW);
    EXPECT_EQ(SizeTMult(1u << 31, 2, &product), S_OK);
    EXPECT_EQ(product, (size_t)1 << 32);
    EXPECT_EQ(SizeTMult((size_t)1 << 40, (size_t)1 << 40, &product), INTSAFE_E_ARITHMETIC_OVERFLOW);
    EXPECT_EQ(SizeTToInt(5, &converted), S_OK);
    EXPECT_EQ(converted, 5);
    EXPECT_EQ(SizeTToInt((size_t)1 << 31, &converted), INTSAFE_E_ARITHMETIC_OVERFLOW);
}

#ifndef _WIN32 /* MinGW links with an older library, which has no _recalloc */
TEST_IN_EACH_KIND(Win32CrtValues, blocks)
{
    char *block = _recalloc(NULL, 10, 3);
    char *larger;

    ASSERT_OK(block != NULL);
    EXPECT_EQ(block[29], 0);
    EXPECT_GE(_msize(block), 30);
    memset(block, 'x', 30);
    larger = _recalloc(block, 10, 300);
    ASSERT_OK(larger != NULL);
    EXPECT_EQ(larger[29], 'x');
    EXPECT_EQ(larger[2999], 0);
    EXPECT_EQ(_expand(larger, 100), larger);
    free(larger);
    errno = 0;
    EXPECT_EQ(_recalloc(NULL, (size_t)1 << 40, (size_t)1 << 40), NULL);
    EXPECT_EQ(errno, ENOMEM);
}
#endif

#ifndef _WIN32 /* Wine 8's older library has no handler to set */
static int handled;

static void note(const wchar_t *expression, const wchar_t *function, const wchar_t *file,
                 unsigned line, uintptr_t reserved)
{
    handled++;
}

/* A handler that returns makes the function fail. */
TEST_IN_EACH_KIND(Win32CrtValues, handler_of_invalid_parameters)
{
    _invalid_parameter_handler before = _set_invalid_parameter_handler(note);
    char text[4] = "abc";
    char *volatile to = text; /* gcc would see the overflow that is asked for */
    const char *volatile longer = "far too long";

    handled = 0;
    EXPECT_EQ(strcpy_s(to, 4, longer), ERANGE);
    EXPECT_STREQ(text, "");
    EXPECT_EQ(strcat_s(to, 4, NULL), EINVAL);
    EXPECT_EQ(strcpy_s(NULL, 4, "a"), EINVAL);
    EXPECT_EQ(memcpy_s(to, 4, longer, 12), ERANGE);
    EXPECT_EQ(text[0], 0);
    EXPECT_EQ(handled, 4);
    EXPECT_EQ(_set_invalid_parameter_handler(before), note);
}
#endif
