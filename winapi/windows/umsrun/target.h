/* SPDX-License-Identifier: MIT
 *
 * target.h - reads the schedulers and workers of another process that uses umsshim.dll.
 *
 * umsrun runs no code in the process and writes nothing to it. It suspends a thread for a moment to
 * read its stack.
 */
#ifndef UMSSHIM_WINAPI_WINDOWS_UMSRUN_TARGET_H
#define UMSSHIM_WINAPI_WINDOWS_UMSRUN_TARGET_H

#include <stdbool.h>
#include <stdint.h>
#include <windows.h>

enum seen_state {
    SEEN_OTHER,
    SEEN_QUEUED,
    SEEN_READY,
    SEEN_RUNNING,
    SEEN_BLOCKED,
    SEEN_STOPPED,
    SEEN_SCHEDULER
};

/* A worker or a scheduler; its number is its place in the table, counted from 1. */
struct seen {
    enum seen_state state;
    unsigned scheduler;   /* worker: the scheduler that executed it last; 0: none */
    unsigned list;        /* worker: the list at which it arrives; scheduler: its own */
    uint32_t thread;      /* the id of its own thread */
    uint32_t activations; /* scheduler: the number of its activations */
    uint8_t reason;
    uint64_t saved_sp; /* saved worker: the begin of its frames; 0: its own thread runs them */
    bool host;         /* worker: it runs on a scheduler's thread */
    char call[48];     /* the call in which it is blocked */
    uint64_t about;    /* the first argument of that call */
    uint32_t since;    /* GetTickCount when it left its scheduler */
    char name[64];
    bool name_asked;
    /* The object for which it waits, in words, and the owner's number: 0: none is known. */
    char object[160];
    unsigned holder;
};

struct target {
    HANDLE process;
    DWORD id;
    struct seen *all;
    unsigned count;
};

/* NULL, or why the process cannot be read. */
const char *target_open(struct target *target, DWORD id);
/* Reads all schedulers and workers. False: the process has ended, or it changed while it was read.
 */
bool target_read(struct target *target);
/* Whether the worker is parked: no thread's registers lead to its stack, and its own thread waits
 * above its frames. */
bool target_is_parked(const struct seen *seen);
/* The registers with which a parked worker goes on; those that a call need not preserve are 0.
 * Other parts of `to` stay. */
bool target_registers(const struct target *target, const struct seen *seen, CONTEXT *to);
/* Finds the objects and holders, for a report. */
void target_explain(struct target *target);
/* The name that SetThreadDescription gave it; the system is asked only once. */
const char *target_name(struct seen *seen);

#endif
