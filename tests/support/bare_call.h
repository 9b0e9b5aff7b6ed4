/* SPDX-License-Identifier: MIT
 *
 * bare_call.h - a system call that no function of any library makes: only the kernel can see it.
 */
#ifndef UMSSHIM_TESTS_SUPPORT_BARE_CALL_H
#define UMSSHIM_TESTS_SUPPORT_BARE_CALL_H

/* Returns the kernel's result, or -errno. */
static inline long bare_call(long nr, long a, const void *b, long c)
{
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"(nr), "D"(a), "S"(b), "d"(c)
                     : "rcx", "r11", "memory");
    return result;
}

/* The same with two parameters more. */
static inline long bare_call_5(long nr, long a, long b, long c, long d, long e)
{
    register long fourth __asm__("r10") = d;
    register long fifth __asm__("r8") = e;
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"(nr), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth)
                     : "rcx", "r11", "memory");
    return result;
}

#endif
