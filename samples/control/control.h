/* SPDX-License-Identifier: MIT
 *
 * control.h - stages, which are schedulers that do as they are told, and the workers on them.
 */
#ifndef CONTROL_H
#define CONTROL_H

#include <Windows.h>

enum { LIMIT_MS = 10000, MOMENT_MS = 30 };

typedef enum OUTCOME {
    NOT_TRIED, /* nobody executed it */
    YIELDS,
    LEAVES,  /* it blocked, was suspended, or ended: the scheduler is entered with Blocked */
    REFUSED, /* ExecuteUmsThread failed */
    RUNS     /* nothing came back yet */
} OUTCOME;

/* A scheduler thread that executes one worker when told to, and says what became of it. */
typedef struct STAGE {
    HANDLE thread;
    HANDLE command;    /* auto-reset: `next` is set */
    HANDLE report;     /* auto-reset: outcome, payload and error are set */
    PUMS_CONTEXT next; /* NULL: leave */
    OUTCOME outcome;
    ULONG_PTR payload;
    DWORD error;
} STAGE;

typedef struct WORKER {
    const char *name;
    LPTHREAD_START_ROUTINE start;
    STAGE *stage;
    PUMS_CONTEXT context;
    HANDLE thread;
    BOOL arrived; /* on the completion list, and nobody asked yet */
} WORKER;

extern PUMS_COMPLETION_LIST g_list;

/* stage.c */
BOOL OpenStage(STAGE *stage);
BOOL CloseStage(STAGE *stage);
OUTCOME Execute(WORKER *worker, DWORD timeout);   /* and waits for a report */
OUTCOME AwaitReport(STAGE *stage, DWORD timeout); /* RUNS: none came */
BOOL HasArrived(WORKER *worker, DWORD timeout);   /* and forgets it */

/* workers.c: what they do is said there. */
extern HANDLE g_door;
extern volatile LONG g_turns;
extern volatile LONG g_enough;
DWORD WINAPI Yielder(LPVOID param);
DWORD WINAPI Spinner(LPVOID param);
DWORD WINAPI Waiter(LPVOID param);
DWORD WINAPI Returner(LPVOID param);
DWORD WINAPI Exiter(LPVOID param);
BOOL CreateWorker(WORKER *worker, const char *name, LPTHREAD_START_ROUTINE start, STAGE *stage,
                  DWORD flags);

#endif
