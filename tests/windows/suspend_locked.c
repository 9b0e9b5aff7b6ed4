/* SPDX-License-Identifier: MIT
 *
 * suspend_locked.c - a thread that is suspended while it holds a lock of the system's: the
 * loader's, the heap's, the process block's.
 *
 * The hazard: the suspending thread holds it still for a moment, to look where it is, before it
 * lets it go on or leaves it stopped. If that needed such a lock nobody would ever resume it. Each
 * case has a process of its own, and what is asked for the first time in it counts most.
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
    (void)self;
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

TEST(SuspendLocked, worker_with_the_loaders)
{
    suspend_worker(LOADER);
}

TEST(SuspendLocked, worker_with_the_heaps)
{
    suspend_worker(HEAP);
}

TEST(SuspendLocked, worker_with_the_process_blocks)
{
    suspend_worker(BLOCK);
}

/* ---- A scheduler, with a worker at its side, and a plain thread -------------------------------
 * */

static VOID NTAPI scheduler_spins(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    (void)reason;
    (void)payload;
    (void)param;
    spin_with_it();
}

static void enter(void *list)
{
    EXPECT_OK(bare_enter(list, scheduler_spins, NULL));
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
    (void)arg;
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
