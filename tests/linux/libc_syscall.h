/* SPDX-License-Identifier: MIT
 *
 * libc_syscall.h - libc's `syscall` as a call site for close tests: it changes only the registers
 * that it loads.
 */
#ifndef UMSSHIM_TESTS_LINUX_LIBC_SYSCALL_H
#define UMSSHIM_TESTS_LINUX_LIBC_SYSCALL_H

#include <stdbool.h>
#include <stdint.h>

/* libc's own: the library has one before it (syscall_front.c). */
extern void *libcs_syscall;

/* The site is redirected to the library. */
bool syscall_rewritten(void);
/* Expects that the site is redirected. In the mode in which no site is, the calls are trapped, and
 * have to keep the same registers. */
void expect_rewritten(void);
/* Whether calls are trapped. If they are, the kernel's signal frame has to fit below each call's
 * stack pointer. */
bool calls_are_trapped(void);
/* Has a worker call it until it is rewritten. */
void rewrite(void);

struct machine {
    long call[7]; /* number, six arguments */
    unsigned char vectors[16][32];
    double x87;
    uint64_t zone[16];
    /* Behind the call: */
    long result;
    long arguments[6];
    unsigned char vectors_after[16][32];
    double x87_after;
    uint64_t zone_after[16];
    uint64_t flags;
};

/* Loads the machine's registers, calls `syscall` with the direction flag set, and stores the
 * registers as they are then. */
void make_call(struct machine *machine);

/* The first fills the machine with values from a number. The second checks that a call that read
 * one byte has kept them. */
void machine_fill(struct machine *machine, int seed);
void machine_check(const struct machine *machine);
/* Reads by make_call, with the machine filled before and checked after. */
void read_one(struct machine *machine, int fd, char *byte, int seed);

#endif
