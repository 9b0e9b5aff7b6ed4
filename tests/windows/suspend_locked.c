/* SPDX-License-Identifier: MIT
 *
 * suspend_locked.c - a thread that is suspended while it holds a lock of the system's: the
 * loader's, the heap's, the process block's.
 *
 * The hazard: the suspending thread holds it still for a moment, to look where it is, before it
 * lets it go on or leaves it stopped. If that needed such a lock nobody would ever resume it. Each
 * case has a process of its own, and what is asked for the first time in it counts most.
 *
 * modes: default
 */
#include "bare.h"
#include "fleet.h"
#include "gtest_c.h"

enum { LIMIT_MS = 5000 };

enum lock { LOADER, HEAP, BLOCK };

static int begun, holds, stop;
static enum lock which;
static ULONG_PTR cookie;

static FARPROC of_ntdll(const char *name)
{
    return GetProcAddress(GetModuleHandleA("ntdll.dll"), name);
}

static LONG(NTAPI *lock_loader)(ULONG, ULONG *, ULONG_PTR *);
static LONG(NTAPI *unlock_loader)(ULONG, ULONG_PTR);
static void(NTAPI *lock_block)(void), (NTAPI * unlock_block)(void);

static void take_it(void)
{
    if (which == LOADER)
        lock_loader(0, NULL, &cookie);
    else if (which == HEAP)
        HeapLock(GetProcessHeap());
    else
        lock_block();
}

static void give_it(void)
{
    if (which == LOADER)
        unlock_loader(0, cookie);
    else if (which == HEAP)
        HeapUnlock(GetProcessHeap());
    else
        unlock_block();
}

static void prepare(enum lock lock)
{
    lock_loader = (void *)of_ntdll("LdrLockLoaderLock");
    unlock_loader = (void *)of_ntdll("LdrUnlockLoaderLock");
    lock_block = (void *)of_ntdll("RtlAcquirePebLock");
    unlock_block = (void *)of_ntdll("RtlReleasePebLock");
    which = lock;
    begun = holds = stop = 0;
}

/* Not before the other thread is there: the loader greets it. */
static void spin_with_it(void)
{
    while (!flag_get(&begun))
        SwitchToThread();
    take_it();
    flag_set(&holds, 1);
    while (!flag_get(&stop))
        YieldProcessor();
    give_it();
}

/* Nothing between the two needs a lock: the stopped thread has it. */
static DWORD WINAPI suspend_it(LPVOID thread)
{
    ULONGLONG deadline = GetTickCount64() + LIMIT_MS;
    DWORD before, after;

    flag_set(&begun, 1);
    while (!flag_get(&holds) && GetTickCount64() < deadline)
        SwitchToThread();
    before = SuspendThread(thread);
    flag_set(&stop, 1);
    after = ResumeThread(thread);
    EXPECT_EQ(before, 0);
    EXPECT_EQ(after, 1);
    return 0;
}

static void by_another_thread(HANDLE thread, void (*run)(void *), void *arg)
{
    HANDLE stopper = CreateThread(NULL, 0, suspend_it, thread, 0, NULL);

    run(arg);
    EXPECT_THAT(WaitForSingleObject(stopper, LIMIT_MS) == WAIT_OBJECT_0,
                "SuspendThread has not come back: holds %d, stop %d", holds, stop);
    EXPECT_OK(CloseHandle(stopper));
}

/* ---- A worker -------------------------------------------------------------------------------- */

static void worker_spins(struct worker *self)
{
    spin_with_it();
}

static void run_fleet(void *fleet)
{
    EXPECT_OK(fleet_run(fleet));
}

static void suspend_worker(enum lock lock)
{
    struct fleet *fleet = fleet_create(1, 1, 0);
    struct worker *worker;

    prepare(lock);
    ASSERT_NE(fleet, NULL);
    worker = fleet_add(fleet, worker_spins, NULL);
    by_another_thread(worker->thread, run_fleet, fleet);
    fleet_destroy(fleet);
}

CALL_TEST(SuspendLocked, worker_with_the_loaders, suspend_worker(LOADER))
CALL_TEST(SuspendLocked, worker_with_the_heaps, suspend_worker(HEAP))
CALL_TEST(SuspendLocked, worker_with_the_process_blocks, suspend_worker(BLOCK))

/* ---- A scheduler, with a worker at its side, and a plain thread -------------------------------
 * */

static VOID NTAPI scheduler_spins(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    spin_with_it();
}

static void enter(void *list)
{
    EXPECT_OK(ums_enter(list, scheduler_spins, NULL));
}

static void suspend_scheduler(enum lock lock)
{
    PUMS_COMPLETION_LIST list;
    HANDLE process = GetCurrentProcess(), self;

    prepare(lock);
    ASSERT_OK(CreateUmsCompletionList(&list));
    ASSERT_OK(DuplicateHandle(process, GetCurrentThread(), process, &self, 0, FALSE,
                              DUPLICATE_SAME_ACCESS));
    by_another_thread(self, enter, list);
    EXPECT_OK(CloseHandle(self));
    EXPECT_OK(DeleteUmsCompletionList(list));
}

TEST(SuspendLocked, scheduler_with_the_loaders)
{
    suspend_scheduler(LOADER);
}

TEST(SuspendLocked, scheduler_with_the_heaps)
{
    suspend_scheduler(HEAP);
}

static void plain(void *arg)
{
    spin_with_it();
}

TEST(SuspendLocked, plain_thread_with_the_loaders)
{
    PUMS_COMPLETION_LIST list;
    HANDLE process = GetCurrentProcess(), self;

    prepare(LOADER);
    ASSERT_OK(CreateUmsCompletionList(&list)); /* the hooks are on */
    ASSERT_OK(DuplicateHandle(process, GetCurrentThread(), process, &self, 0, FALSE,
                              DUPLICATE_SAME_ACCESS));
    by_another_thread(self, plain, NULL);
    EXPECT_OK(CloseHandle(self));
    EXPECT_OK(DeleteUmsCompletionList(list));
}

/* ---- The engine's own ------------------------------------------------------------------------ */

/* The plain thread uses a handle that may not ask for its id, of a thread that nobody may ask. So
 * that is looked for among those with a context, by system calls. Who suspends and resumes the
 * plain thread needs to know its context, too. */
enum { CONTEXTS = 8, CYCLES = 100 };

static DWORD WINAPI resume_unknown(LPVOID thread)
{
    flag_set(&begun, 1);
    while (!flag_get(&stop))
        EXPECT_EQ(ResumeThread(thread), 0);
    return 0;
}

static DWORD WINAPI wait_for_stop(LPVOID event)
{
    return WaitForSingleObject(event, INFINITE);
}

static HANDLE thread_that_nobody_may_ask(HANDLE event)
{
    ACL nobody;
    SECURITY_DESCRIPTOR descriptor;
    SECURITY_ATTRIBUTES attributes = {.nLength = sizeof attributes,
                                      .lpSecurityDescriptor = &descriptor};
    HANDLE process = GetCurrentProcess(), thread, narrow = NULL;

    EXPECT_OK(InitializeAcl(&nobody, sizeof nobody, ACL_REVISION));
    EXPECT_OK(InitializeSecurityDescriptor(&descriptor, SECURITY_DESCRIPTOR_REVISION));
    EXPECT_OK(SetSecurityDescriptorDacl(&descriptor, TRUE, &nobody, FALSE));
    thread = CreateThread(&attributes, 0, wait_for_stop, event, 0, NULL);
    EXPECT_OK(DuplicateHandle(process, thread, process, &narrow, THREAD_SUSPEND_RESUME, FALSE, 0));
    EXPECT_OK(CloseHandle(thread));
    return narrow;
}

TEST(SuspendLocked, a_thread_that_compares_handles)
{
    HANDLE event = CreateEventA(NULL, TRUE, FALSE, NULL);
    HANDLE unknown = thread_that_nobody_may_ask(event), plain;
    PUMS_COMPLETION_LIST list;
    PUMS_CONTEXT held[CONTEXTS];
    struct bare workers[CONTEXTS];

    ASSERT_OK(CreateUmsCompletionList(&list));
    for (int i = 0; i < CONTEXTS; i++) {
        ASSERT_OK(bare_create_arrived(&workers[i], list, routine_return, NULL));
        held[i] = workers[i].context;
    }
    begun = stop = 0;
    plain = CreateThread(NULL, 0, resume_unknown, unknown, 0, NULL);
    ASSERT_OK(plain != NULL);
    while (!flag_get(&begun))
        SwitchToThread();
    for (int i = 0; i < CYCLES; i++) {
        EXPECT_EQ(SuspendThread(plain), 0);
        EXPECT_EQ(ResumeThread(plain), 1);
        SwitchToThread();
    }
    flag_set(&stop, 1);
    EXPECT_EQ(WaitForSingleObject(plain, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_OK(SetEvent(event));
    EXPECT_OK(bare_drive(list, held, CONTEXTS, CONTEXTS));
    for (int i = 0; i < CONTEXTS; i++)
        bare_delete(&workers[i]);
    EXPECT_OK(DeleteUmsCompletionList(list));
    EXPECT_OK(CloseHandle(plain));
    EXPECT_OK(CloseHandle(unknown));
    EXPECT_OK(CloseHandle(event));
}
