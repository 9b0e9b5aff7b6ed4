/* SPDX-License-Identifier: MIT
 *
 * delegate - an entry point that has something to do for which it may not wait.
 *
 * Workers write into a journal under a lock, and are switched away with the lock held now and then.
 * The scheduler wants each of its activations in the journal as well. If its entry point takes the
 * lock, it waits for a worker that only it would execute: --wrong does so, and hangs. So it puts
 * what it has to say into a ring, which takes no lock, and a plain thread writes it down. That
 * thread may wait for the lock like anybody.
 */
#include <windows.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { WRITERS = 3, TURNS = 100, RING = 4096, LIMIT_MS = 30000 };

static PUMS_COMPLETION_LIST list;
static bool wrong;

/* ---- The journal: `pair` must not be taken apart, which the lock sees to --------------------- */

static CRITICAL_SECTION lock;
static int open_pair = -1; /* whose first half was written last */
static unsigned pairs, told, torn;

static void write_half(int writer, bool first)
{
    torn += open_pair != (first ? -1 : writer);
    open_pair = first ? writer : -1;
    pairs += !first;
}

static DWORD WINAPI writer_main(LPVOID param)
{
    int self = (int)(intptr_t)param;
    for (int turn = 0; turn < TURNS; turn++) {
        EnterCriticalSection(&lock);
        write_half(self, true);
        UmsThreadYield(NULL); /* as if it had blocked here: the lock stays its own */
        write_half(self, false);
        LeaveCriticalSection(&lock);
        UmsThreadYield(NULL);
    }
    return 0;
}

/* ---- What the scheduler has to say ----------------------------------------------------------- */

/* The entry point alone writes, the clerk alone reads. The entry point counts what does not fit. */
static UMS_SCHEDULER_REASON ring[RING];
static atomic_uint ring_head, ring_tail;
static unsigned entered, dropped;
static HANDLE said; /* an event: setting it waits for nobody */

static void say(UMS_SCHEDULER_REASON reason)
{
    unsigned head = atomic_load_explicit(&ring_head, memory_order_relaxed);
    entered++;
    if (wrong) {
        EnterCriticalSection(&lock);
        told++;
        LeaveCriticalSection(&lock);
    } else if (head - atomic_load_explicit(&ring_tail, memory_order_acquire) == RING) {
        dropped++;
    } else {
        ring[head % RING] = reason;
        atomic_store_explicit(&ring_head, head + 1, memory_order_release);
        SetEvent(said);
    }
}

static atomic_bool over;

static DWORD WINAPI clerk_main(LPVOID param)
{
    (void)param;
    for (bool last = false;;) {
        unsigned tail = atomic_load_explicit(&ring_tail, memory_order_relaxed);
        unsigned head = atomic_load_explicit(&ring_head, memory_order_acquire);
        if (tail != head) {
            EnterCriticalSection(&lock); /* a plain thread may wait here: workers go on meanwhile */
            told += head - tail;
            LeaveCriticalSection(&lock);
            atomic_store_explicit(&ring_tail, head, memory_order_release);
        } else if (last) {
            return 0;
        } else {
            WaitForSingleObject(said, INFINITE);
            last = atomic_load(&over);
        }
    }
}

/* ---- The scheduler --------------------------------------------------------------------------- */

static PUMS_CONTEXT ready[WRITERS];
static unsigned first_ready, end_ready, ended;

static VOID WINAPI scheduler(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    PUMS_CONTEXT context;
    (void)param;
    if (reason == UmsSchedulerThreadYield)
        ready[end_ready++ % WRITERS] = (PUMS_CONTEXT)payload;
    say(reason);
    for (;;) {
        if (!DequeueUmsCompletionListItems(list, first_ready == end_ready ? INFINITE : 0,
                                           &context) &&
            GetLastError() != ERROR_TIMEOUT)
            return;
        while (context) {
            PUMS_CONTEXT next = GetNextUmsListItem(context);
            BOOLEAN terminated = FALSE;
            QueryUmsThreadInformation(context, UmsThreadIsTerminated, &terminated,
                                      sizeof terminated, NULL);
            if (terminated)
                ended++;
            else
                ready[end_ready++ % WRITERS] = context;
            context = next;
        }
        if (ended == WRITERS)
            return;
        if (first_ready != end_ready)
            ExecuteUmsThread(ready[first_ready++ % WRITERS]);
    }
}

/* ---- Putting it up --------------------------------------------------------------------------- */

static int fail(const char *what)
{
    fprintf(stderr, "delegate: %s failed, last error %lu\n", what, (unsigned long)GetLastError());
    return 1;
}

static void name_thread(HANDLE thread, const char *text, int number)
{
    char name[32];
    WCHAR wide[32];
    size_t i = 0;
    snprintf(name, sizeof name, number < 0 ? "%s" : "%s %d", text, number);
    do
        wide[i] = (WCHAR)name[i];
    while (name[i++]);
    SetThreadDescription(thread, wide);
}

static HANDLE create_writer(int number, PUMS_CONTEXT *context)
{
    _Alignas(16) unsigned char room[128];
    LPPROC_THREAD_ATTRIBUTE_LIST attributes = (LPPROC_THREAD_ATTRIBUTE_LIST)room;
    SIZE_T size = sizeof room;
    UMS_CREATE_THREAD_ATTRIBUTES ums = {.UmsVersion = UMS_VERSION, .UmsCompletionList = list};
    HANDLE thread;
    if (!CreateUmsThreadContext(context))
        return NULL;
    ums.UmsContext = *context;
    if (!InitializeProcThreadAttributeList(attributes, 1, 0, &size) ||
        !UpdateProcThreadAttribute(attributes, 0, PROC_THREAD_ATTRIBUTE_UMS_THREAD, &ums,
                                   sizeof ums, NULL, NULL))
        return NULL;
    thread = CreateRemoteThreadEx(GetCurrentProcess(), NULL, 0, writer_main,
                                  (LPVOID)(intptr_t)number, 0, attributes, NULL);
    DeleteProcThreadAttributeList(attributes);
    if (thread)
        name_thread(thread, "writer", number);
    return thread;
}

static DWORD WINAPI watchdog(LPVOID param)
{
    (void)param;
    Sleep(LIMIT_MS);
    fprintf(stderr, "delegate: still not done after %d seconds\n", LIMIT_MS / 1000);
    ExitProcess(3);
}

int main(int argc, char **argv)
{
    UMS_SCHEDULER_STARTUP_INFO info = {.UmsVersion = UMS_VERSION, .SchedulerProc = scheduler};
    PUMS_CONTEXT contexts[WRITERS];
    HANDLE threads[WRITERS], clerk;

    wrong = argc == 2 && strcmp(argv[1], "--wrong") == 0;
    if (argc > 1 && !wrong) {
        fprintf(stderr, "delegate: what is \"%s\"? try: delegate [--wrong]\n", argv[1]);
        return 2;
    }
    if (wrong)
        fprintf(stderr,
                "delegate: the entry point takes the workers' lock; this hangs, and ends after %d "
                "seconds\n",
                LIMIT_MS / 1000);
    CloseHandle(CreateThread(NULL, 0, watchdog, NULL, 0, NULL));
    InitializeCriticalSection(&lock);
    said = CreateEventA(NULL, FALSE, FALSE, NULL);
    clerk = CreateThread(NULL, 0, clerk_main, NULL, 0, NULL);
    if (!said || !clerk || !CreateUmsCompletionList(&list))
        return fail("putting it up");
    name_thread(clerk, "clerk", -1);
    name_thread(GetCurrentThread(), "scheduler", -1);
    for (int i = 0; i < WRITERS; i++)
        if (!(threads[i] = create_writer(i, &contexts[i])))
            return fail("creating a worker");
    info.CompletionList = list;
    if (!EnterUmsSchedulingMode(&info))
        return fail("EnterUmsSchedulingMode");
    atomic_store(&over, true);
    SetEvent(said);
    WaitForSingleObject(clerk, INFINITE);
    for (int i = 0; i < WRITERS; i++) {
        CloseHandle(threads[i]);
        if (!DeleteUmsThreadContext(contexts[i]))
            return fail("DeleteUmsThreadContext");
    }
    if (!DeleteUmsCompletionList(list))
        return fail("DeleteUmsCompletionList");
    printf("%u pairs written, %u of them torn; %u activations, %u in the journal, %u dropped\n",
           pairs, torn, entered, told, dropped);
    return pairs == WRITERS * TURNS && !torn && told + dropped == entered ? 0 : 1;
}
