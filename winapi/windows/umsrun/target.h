/* SPDX-License-Identifier: MIT
 *
 * target.h - a process that uses umsshim.dll, as it is seen from outside: its schedulers and
 * workers.
 *
 * Nothing runs in it and nothing is written to it; for a moment each thread whose stack is looked
 * at stands still.
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
    unsigned scheduler;   /* worker: which executed it last; 0: none */
    unsigned list;        /* where it arrives; scheduler: its own */
    uint32_t thread;      /* its own */
    uint32_t activations; /* scheduler */
    uint8_t reason;
    uint64_t saved_sp; /* worker that is saved: where its stack begins; 0: its own thread has it */
    bool host;         /* worker: a scheduler's thread carries it */
    char call[48];     /* what it is blocked in */
    uint64_t about;    /* that call's first argument */
    uint32_t since;    /* GetTickCount when it left */
    char name[64];
    bool name_asked;
    /* What it waits for, in words, and who has that: 0 nobody that is known. */
    char object[160];
    unsigned holder;
};

struct target {
    HANDLE process;
    DWORD id;
    struct seen *all;
    unsigned count;
};

/* NULL, or why it cannot be looked at. */
const char *target_open(struct target *target, DWORD id);
/* Reads all schedulers and workers. False: the process has ended, or it changed while it was read.
 */
bool target_read(struct target *target);
/* Whether the worker is parked: no thread's registers lead to its stack, and its own thread waits
 * above its frames. */
bool target_is_parked(const struct seen *seen);
/* Where it goes on, with what a call preserves; the other registers are 0. What `to` has beside
 * stays. */
bool target_registers(const struct target *target, const struct seen *seen, CONTEXT *to);
/* Objects and holders: for a report. */
void target_explain(struct target *target);
/* What SetThreadDescription said of it, asked for once. */
const char *target_name(struct seen *seen);

#endif
