/* SPDX-License-Identifier: MIT
 *
 * line_counts.c - a part of the library only in builds that count its lines (preset
 * linux-coverage). A child process of a test ends by _exit, which writes no counts. So child.c
 * calls this file to write the library's.
 */
extern void __gcov_dump(void);
extern void (*tc_write_counts)(void) __attribute__((weak));

__attribute__((constructor)) static void offer(void)
{
    if (&tc_write_counts)
        tc_write_counts = __gcov_dump;
}
