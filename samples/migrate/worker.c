/* SPDX-License-Identifier: MIT
 *
 * worker.c - workers that go from scheduler to scheduler and look whether they are still
 * themselves.
 */
#include "migrate.h"

static DWORD s_tls;
static CRITICAL_SECTION s_section;
static int s_count; /* under the section */

BOOL PrepareWorkers(VOID)
{
    s_tls = TlsAlloc();
    InitializeCriticalSection(&s_section);
    return s_tls != TLS_OUT_OF_INDEXES;
}

int SharedCount(VOID)
{
    return s_count;
}

static VOID LookAtMyself(WORKER *self)
{
    if (GetCurrentThreadId() != self->threadId || TlsGetValue(s_tls) != self ||
        GetCurrentUmsThread() != self->context)
        self->identities++;
}

/* Goes on on the scheduler after this one, on whatever processor that is. */
static VOID Hop(WORKER *self)
{
    SCHEDULER *wanted = &g_schedulers[(self->scheduler->index + 1) % g_schedulerCount];

    UmsThreadYield(wanted);
    self->hops++;
    if (self->scheduler != wanted)
        self->strayed++;
}

/* Blocks with the section held now and then. The owner of a section is a worker, not a
 * processor. */
static VOID Count(int round)
{
    EnterCriticalSection(&s_section);
    if (round % 5 == 0)
        Sleep(1);
    s_count++;
    LeaveCriticalSection(&s_section);
}

DWORD WINAPI WorkerThread(LPVOID param)
{
    WORKER *self = (WORKER *)param;

    TlsSetValue(s_tls, self);
    while (self->rounds < ROUNDS) {
        SCHEDULER *before = self->scheduler;

        switch (self->rounds % 3) {
        case 0:
            Hop(self);
            break;
        case 1:
            UmsThreadYield(NULL);
            break;
        default:
            Count(self->rounds);
            break;
        }
        LookAtMyself(self);
        if (self->scheduler != before)
            self->moves++;
        self->rounds++;
    }
    return 1000 + (DWORD)self->index;
}
