/* SPDX-License-Identifier: MIT
 *
 * fastthreads.h - a thread package on one of five grounds: fork, join, yield, locks, conditions.
 *
 * The ground says what a thread is, and is chosen when the package starts; the calls are the same.
 * All calls but ft_run and those on names are for threads of the package, inside ft_run. Locks and
 * conditions are plain memory, set up by ft_lock_init and ft_condition_init, with nothing to free;
 * on FT_PROCESSES they have to lie in memory from ft_allocate.
 */
#ifndef FASTTHREADS_H
#define FASTTHREADS_H

#include <windows.h>

enum ft_ground {
    FT_UMS,      /* scheduler activations: a thread that blocks gives its processor back */
    FT_KERNEL,   /* each thread is a thread of the system */
    FT_SPIN,     /* ... that spins for a lock before it blocks in the kernel */
    FT_USER,     /* contexts in user mode: a thread that blocks takes its processor with it */
    FT_PROCESSES /* each thread is a process: only what ft_allocate gave is shared */
};

enum { FT_MAX_PROCESSORS = 32 };

struct ft_options {
    enum ft_ground ground;
    int processors;        /* 1 to FT_MAX_PROCESSORS; more than the machine has is allowed */
    unsigned stack_bytes;  /* of a thread; 0 is 64 KiB */
    const char *allocator; /* the processor allocator to register with, or NULL; not FT_PROCESSES */
    int priority; /* the program's there: it gets processors before lower ones; 0 as a rule */
};

/* Of threads: 0 is the lowest, and the first thread's. */
enum { FT_MAX_PRIORITY = 7 };

/* What a run did; zeroes where a ground does not know. */
struct ft_statistics {
    unsigned long forks;
    unsigned long created;       /* of them, those that found no finished thread to use again */
    unsigned long switches;      /* a processor went on with some thread */
    unsigned long steals;        /* ... that it took from another processor */
    unsigned long blocked;       /* upcalls: a thread blocked in the kernel (or ended) */
    unsigned long preempted;     /* upcalls: a thread was stopped where it computed */
    unsigned long raised;        /* stops of a thread because one of a higher priority was ready */
    unsigned long unblocked;     /* threads that came back */
    unsigned long looks;         /* a loop asked for threads that came back */
    unsigned long idle;          /* a processor found nothing to do and slept */
    unsigned long recoveries;    /* a thread stopped in a critical section was continued first */
    unsigned long returns;       /* ... and came back to the loop at the section's end */
    unsigned long given_up;      /* a processor was handed back to the allocator */
    unsigned long hints;         /* messages to the allocator */
    unsigned long locks_spun;    /* FT_SPIN: a taken lock became free while a thread spun for it */
    unsigned long locks_blocked; /* ... it did not, and the thread blocked in the kernel */
    BOOL allocator_lost;         /* it could not be reached, or went away: went on without */
};

/* "ums", "kernel", "spin", "user", "processes". ft_ground_named: FALSE if there is none. */
const char *ft_ground_name(enum ft_ground ground);
BOOL ft_ground_named(const char *name, enum ft_ground *ground);
/* FALSE: this system has no such ground (Windows, which has no fork: FT_PROCESSES), and ft_run
 * gives ERROR_NOT_SUPPORTED. */
BOOL ft_ground_here(enum ft_ground ground);

/* "the lock's word", or "flags" in a package that was compiled with FT_SECTION_FLAGS: of FT_UMS and
 * FT_USER. */
const char *ft_sections_marked_by(void);

/* Processors that this program may use: bits of an affinity mask. */
DWORD_PTR ft_machine(void);

/* Runs first(arg) as the first thread and returns when it has ended; it has to join every thread
 * that was forked. Gives a Win32 error, 0 for success; statistics may be NULL. One at a time. */
DWORD ft_run(const struct ft_options *options, void (*first)(void *), void *arg,
             struct ft_statistics *statistics);

/* A thread that has to be joined once, by any thread. NULL: there is none, see the last error. Its
 * priority is the caller's, or the one given (ERROR_INVALID_PARAMETER: there is no such). On FT_UMS
 * and FT_USER a processor goes on with a ready thread of the highest priority, and a caller that
 * makes one ready whose priority is higher than its own lets that one go first. On FT_UMS, where
 * all processors compute, one that runs a lower priority than a ready thread's is taken at the next
 * tick (notice.c). FT_KERNEL, FT_SPIN and FT_PROCESSES leave the order to the system. */
struct ft_thread *ft_fork(void (*body)(void *), void *arg);
struct ft_thread *ft_fork_at(int priority, void (*body)(void *), void *arg);
void ft_join(struct ft_thread *thread);
void ft_yield(void);

struct ft_lock {
    void *room[8];
};

struct ft_condition {
    void *room[8];
};

void ft_lock_init(struct ft_lock *lock);
void ft_acquire(struct ft_lock *lock);
void ft_release(struct ft_lock *lock);

void ft_condition_init(struct ft_condition *condition);
void ft_wait(struct ft_condition *condition, struct ft_lock *lock);
void ft_signal(struct ft_condition *condition);
void ft_broadcast(struct ft_condition *condition);

/* Zeroed memory that all threads of the ground see. NULL: there is none. */
void *ft_allocate(size_t bytes);
void ft_free(void *memory, size_t bytes);

#endif
