/* SPDX-License-Identifier: MIT
 *
 * three_kinds.h - one body of checks on each of the three kinds of thread: a plain one, a UMS
 * worker, and a scheduler inside its entry point.
 *
 * What a call promises must hold on all of them. The bodies run one after the other, the first on
 * the calling thread.
 */
#ifndef UMSSHIM_TESTS_SUPPORT_THREE_KINDS_H
#define UMSSHIM_TESTS_SUPPORT_THREE_KINDS_H

void in_three_kinds(void (*body)(void));

/* A test that is nothing but such a body. */
#define TEST_IN_THREE_KINDS(suite, name)                                                           \
    static void suite##_##name##_body(void);                                                       \
    TEST(suite, name)                                                                              \
    {                                                                                              \
        in_three_kinds(suite##_##name##_body);                                                     \
    }                                                                                              \
    static void suite##_##name##_body(void)

#endif
