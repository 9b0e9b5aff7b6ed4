/* SPDX-License-Identifier: MIT
 *
 * items.h - many short work items: how many a second of processor time runs, by each way of running them.
 *
 * Microsoft's guide says that UMS is more efficient than a thread pool for many short work items that make few
 * system calls. An item computes for a while and makes some calls that do not wait. Each ground has a
 * unit for each item in turn: it runs the item and gives the processor to the next unit. The pool has a
 * callback for each item.
 */
#ifndef UMSSHIM_TESTS_BENCH_ITEMS_H
#define UMSSHIM_TESTS_BENCH_ITEMS_H

#ifdef __cplusplus
extern "C" {
#endif

enum { UNITS = 64 }; /* for each processor */

struct plan {
    int items;
    int loops; /* of the calculation */
    int calls; /* for each item */
    int processors;
};

struct ground {
    const char *name;
    void (*run)(const struct plan *plan); /* all items, to the end */
};

/* One item; false: there is none left. */
int items_take(void);
void items_run_one(void);

/* call_posix.c, call_windows.c: a system call that does not wait, what must come before the first, and how many
 * milliseconds of work a round has: much more than the births of its workers and threads take. */
extern const int items_budget_ms;
void items_open(void);
void items_call(void);

/* The program: runs each ground over item lengths and over calls, and writes a table of items for each second of processor
 * time. */
int items_main(const struct ground *grounds, int count, int argc, char **argv);

#ifdef __cplusplus
}
#endif
#endif
