/* SPDX-License-Identifier: MIT
 *
 * calls_on_waits.c - a signal's handler on top of a wait of the dispatcher's: CancelSynchronousIo ends the handler's own
 * call, and the wait goes on.
 *
 * modes: default, UMSSHIM_DETECT=notify, UMSSHIM_DETECT=traps, UMSSHIM_DETECT=0
 */
#include "calls_in_threads.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static HANDLE inner[2], never; /* a pipe: to read, to write */
static pthread_t waiter;
static int begun, over, handled;

static void read_in_handler(int number)
{
    char byte;
    DWORD count;

    EXPECT_FAILS(ReadFile(inner[0], &byte, 1, &count, NULL), ERROR_OPERATION_ABORTED);
    flag_add(&handled, 1);
}

static void prepare(void)
{
    struct sigaction action = {.sa_handler = read_in_handler, .sa_flags = SA_RESTART};

    ASSERT_EQ(sigaction(SIGUSR1, &action, NULL), 0);
    ASSERT_OK(CreatePipe(&inner[0], &inner[1], NULL, 0));
    ASSERT_NE(never = CreateEventA(NULL, TRUE, FALSE, NULL), NULL);
    begun = over = handled = 0;
}

/* ---- The waits ------------------------------------------------------------------------------- */

static HANDLE folder, file;

static void wait_for_event(void)
{
    EXPECT_EQ(WaitForSingleObject(never, INFINITE), WAIT_OBJECT_0);
}

static void wait_for_range(void)
{
    OVERLAPPED at = {.Offset = 0};

    EXPECT_FAILS(LockFileEx(file, LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &at), ERROR_OPERATION_ABORTED);
}

static void wait_for_change(void)
{
    DWORD room[64], bytes;

    EXPECT_FAILS(ReadDirectoryChangesW(folder, room, sizeof room, FALSE,
                                       FILE_NOTIFY_CHANGE_FILE_NAME, &bytes, NULL, NULL),
                 ERROR_OPERATION_ABORTED);
}

static void let_go_by_event(HANDLE thread)
{
    EXPECT_OK(SetEvent(never));
}

/* Cancels again until it works: as the engine starts, the thread may first sleep for something
 * else. */
static void let_go_by_cancellation(HANDLE thread)
{
    long long started = now_ms();
    BOOL asked = FALSE;

    while (!asked && within_limit(started))
        asked = CancelSynchronousIo(thread);
    EXPECT_OK(asked);
}

static const struct wait {
    void (*begin)(void);
    void (*let_go)(HANDLE thread);
} waits_below[] = {{wait_for_event, let_go_by_event},
                   {wait_for_range, let_go_by_cancellation},
                   {wait_for_change, let_go_by_cancellation}};
static const struct wait *below;

static DWORD WINAPI waits_below_handler(LPVOID unused)
{
    waiter = pthread_self();
    flag_set(&begun, 1);
    below->begin();
    flag_set(&over, 1);
    return 0;
}

static void CALLBACK wait_in_entry_point(UMS_SCHEDULER_REASON reason, ULONG_PTR a, PVOID b)
{
    waits_below_handler(NULL);
}

static DWORD WINAPI waits_as_scheduler(LPVOID list)
{
    EXPECT_OK(ums_enter(list, wait_in_entry_point, NULL));
    return 0;
}

static void open_both(const char *path)
{
    enum { ALL = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE };
    char name[64];

    snprintf(name, sizeof name, "%s/file", path);
    folder = CreateFileA(path, FILE_LIST_DIRECTORY, ALL, NULL, OPEN_EXISTING,
                         FILE_FLAG_BACKUP_SEMANTICS, NULL);
    file = CreateFileA(name, GENERIC_READ | GENERIC_WRITE, ALL, NULL, CREATE_NEW,
                       FILE_FLAG_DELETE_ON_CLOSE, NULL);
    ASSERT_NE(folder, INVALID_HANDLE_VALUE);
    ASSERT_NE(file, INVALID_HANDLE_VALUE);
    EXPECT_OK(LockFile(file, 0, 0, 1, 0));
}

static void reads_on_top(LPTHREAD_START_ROUTINE body, void *arg, long sleeps_in)
{
    HANDLE thread = CreateThread(NULL, 0, body, arg, 0, NULL);

    if (!await_flag(&begun, 1))
        return;
    await_sleep(thread, sleeps_in);
    pthread_kill(waiter, SIGUSR1);
    await_sleep(thread, SYS_read);
    let_go_by_cancellation(thread);
    if (!await_flag(&handled, 1))
        return;
    EXPECT_EQ(flag_get(&over), 0);
    await_sleep(thread, sleeps_in);
    below->let_go(thread);
    if (await_flag(&over, 1))
        join(thread, NULL);
}

/* The engine's threads are there from now on, so the first sleep of a waiter is its wait. */
static void start_watching(const char *path)
{
    HANDLE changes = FindFirstChangeNotificationA(path, FALSE, FILE_NOTIFY_CHANGE_FILE_NAME);

    EXPECT_NE(changes, INVALID_HANDLE_VALUE);
    EXPECT_OK(FindCloseChangeNotification(changes));
}

static int cancelled_on_top(void *as_scheduler)
{
    char path[] = "/tmp/umsshim-test-XXXXXX";

    EXPECT_OK(mkdtemp(path) != NULL);
    start_watching(path);
    for (unsigned i = 0; i < sizeof waits_below / sizeof *waits_below && !tc_failures(); i++) {
        PUMS_COMPLETION_LIST list = NULL;

        prepare();
        open_both(path);
        below = &waits_below[i];
        if (as_scheduler) { /* a scheduler sleeps beside the poller's descriptors */
            EXPECT_OK(CreateUmsCompletionList(&list));
            reads_on_top(waits_as_scheduler, list, SYS_epoll_pwait);
        } else {
            reads_on_top(waits_below_handler, NULL, SYS_futex);
        }
        CloseHandle(file);
        CloseHandle(folder);
    }
    rmdir(path);
    return 0;
}

CALL_TEST(CallsOnWaits, a_read_on_top_of_a_threads_wait_is_cancelled,
          EXPECT_IN_CHILD(cancelled_on_top, NULL, CHILD_LIMIT_MS))

/* Elsewhere no handler runs on a scheduler's thread while it waits. */
TEST(CallsOnWaits, a_read_on_top_of_a_schedulers_wait_is_cancelled)
{
    const char *detect = getenv("UMSSHIM_DETECT");

    if (!detect || strcmp(detect, "0") != 0)
        SKIP("a hosted scheduler has every signal blocked");
    EXPECT_IN_CHILD(cancelled_on_top, (void *)"", CHILD_LIMIT_MS);
}
