/* SPDX-License-Identifier: MIT
 *
 * sandbox.h - a sandbox as the launcher makes it: what it is, and the parts that make it.
 */
#ifndef UMSSHIM_TESTS_SANDBOXES_SANDBOX_H
#define UMSSHIM_TESTS_SANDBOXES_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    CANNOT_BE_MADE = 77,
    BAD_ARGUMENTS = 2
}; /* exit codes; ctest takes the first for "skipped" */

/* A system call that is refused: always, or where (argument & mask) is as `when` says. */
enum when { ALWAYS, ANY_BIT, EQUAL };

struct refusal {
    int call;
    int error;
    enum when when;
    unsigned argument;
    uint32_t mask;
    uint32_t value; /* EQUAL */
};

struct sandbox {
    const char *name;
    const char *what; /* for --list */
    const struct refusal *refusals;
    int unknown_from;   /* calls from this number on are unknown: ENOSYS; 0: none */
    const int *watched; /* 0-ended: calls that a listener of the sandbox's lets pass; NULL: none */
    uint64_t capabilities; /* that are left, where any are; 0: as they are */
    bool without_proc;
    bool without_fsgsbase; /* the kernel does not offer it in the auxiliary vector */
    unsigned descriptors;  /* the limit; 0: as it is */
    unsigned threads;      /* the limit; 0: as it is */
};

extern const struct sandbox sandboxes[]; /* ends with one that has no name */

/* All of these end the process with a line on stderr where they cannot do what they are for. */
void cannot(const char *what)
    __attribute__((noreturn)); /* says so, with errno: exit CANNOT_BE_MADE */

/* filter.c: a filter around the calling process; the listener if it watches, else -1. */
int filter_around(const struct sandbox *sandbox);

/* limits.c */
void limit_capabilities(uint64_t left);
void limit_descriptors(unsigned most);
void limit_threads(unsigned most);
void hide_proc(void);

/* auxv.c: follows the child, which waits to be followed; whatever it executes, and what its children do, is
 * told of no FSGSBASE. Returns the child's wait status. */
int run_without_fsgsbase(pid_t child, int go);

#endif
