/* SPDX-License-Identifier: MIT
 *
 * roles.h - what the zoo's workers do, and what they do it with.
 */
#ifndef UMSSHIM_TESTS_INSPECT_ROLES_H
#define UMSSHIM_TESTS_INSPECT_ROLES_H

#include <windows.h>

#include <stdbool.h>
#include <stdint.h>

struct role {
    const char *name;
    void (*run)(void);
};

/* The roles of a kind of zoo, up to the one without a name. */
extern const struct role everybody[], kernel[], deadlock[], spin[], fresh[], starve[], yielding[];
extern const struct role asleep[], fault[], holder[];
extern const struct role waiter, last;

extern HANDLE dawn, never, port, mutex;
extern CRITICAL_SECTION section, other_section;
extern int pipe_ends[2];
extern volatile int ready_said; /* everybody is where he should be */
extern bool crashes;            /* the last to run ends by SIGSEGV */

enum { YIELDS = 100000 };
extern long yields_wanted;  /* of the role that yields */
extern int64_t yields_took; /* nanoseconds of processor time */

void look_here(int number);
/* Ends the process unless a call was good. */
void check(int good, const char *call);

#endif
