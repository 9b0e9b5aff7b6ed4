/* SPDX-License-Identifier: MIT
 *
 * arrival_lists.h - three completion lists, a scheduler for one execution, and the rule for a
 * worker's arrival: on the list of the scheduler that executed it last; with UMSSHIM_STRICT=1 on
 * its creation's list.
 */
#ifndef UMSSHIM_TESTS_API_ARRIVAL_LISTS_H
#define UMSSHIM_TESTS_API_ARRIVAL_LISTS_H

#include <windows.h>

#include <stdbool.h>

enum { LISTS = 3 };
extern PUMS_COMPLETION_LIST lists[LISTS]; /* workers are created with the first */
#define CREATION lists[0]
#define NEAR_LIST lists[1]
#define FAR_LIST lists[2]
extern HANDLE event; /* what workers wait for */

bool strict(void);

/* The lists and the event; the second checks that nothing was left on the lists. */
void open_lists(void);
void close_lists(void);
void delete_list(PUMS_COMPLETION_LIST *list);

/* The worker arrives on the list that the rule names, once, and on no other list. */
void expect_arrival(PUMS_CONTEXT context, PUMS_COMPLETION_LIST last);
void expect_no_arrival(void);

/* A thread's routine: becomes a scheduler with this list, executes the worker, and leaves when the worker has left it. */
struct once {
    PUMS_COMPLETION_LIST list;
    PUMS_CONTEXT context;
    UMS_SCHEDULER_REASON reason; /* how the worker left */
};
DWORD WINAPI run_once(LPVOID once);

/* The same on the calling thread; the worker leaves in this way. */
void execute_on(PUMS_COMPLETION_LIST list, PUMS_CONTEXT context, UMS_SCHEDULER_REASON leaves);
#define BLOCKS UmsSchedulerThreadBlocked
#define YIELDS UmsSchedulerThreadYield

/* A worker's routine: waits for the event so many times. */
DWORD WINAPI wait_often(LPVOID times);

#endif
