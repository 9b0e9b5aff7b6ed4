/* SPDX-License-Identifier: MIT
 *
 * line_counts.c - part of the library where its lines are counted (preset linux-coverage), and of
 * no other: a child process of a test ends by _exit, which leaves no counts, so it is told how to
 * write the library's (child.c).
 */
extern void __gcov_dump(void);
extern void (*tc_write_counts)(void) __attribute__((weak));

__attribute__((constructor)) static void offer(void)
{
    if (&tc_write_counts)
        tc_write_counts = __gcov_dump;
}
