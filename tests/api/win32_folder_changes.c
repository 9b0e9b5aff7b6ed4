/* SPDX-License-Identifier: MIT
 *
 * win32_folder_changes.c - ReadDirectoryChangesW: changes in a folder, and below it. And the bad
 * arguments of FindFirstChangeNotification.
 *
 * modes: ring
 * with: folder.c
 * where: UNIX
 */
#include <windows.h>

#include "events.h"
#include "folder.h"
#include "gtest_c.h"
#include "kinds.h"

#include <stdio.h>
#include <string.h>

/* ---- Records ---- */

static DWORD buffer[1024];

static HANDLE open_folder(DWORD flags)
{
    return CreateFileA(in_folder("."), FILE_LIST_DIRECTORY,
                       FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, OPEN_EXISTING,
                       FILE_FLAG_BACKUP_SEMANTICS | flags, NULL);
}

/* Appends the records in the buffer: + new, - gone, ! changed, and a renaming as - and +. */
static void append_records(char *text, size_t size, DWORD bytes)
{
    static const char signs[] = "?+-!-+";
    const char *at = (const char *)buffer;

    while (bytes) {
        const FILE_NOTIFY_INFORMATION *record = (const void *)at;
        char name[64];
        int length = WideCharToMultiByte(CP_UTF8, 0, record->FileName,
                                         (int)(record->FileNameLength / sizeof(WCHAR)), name,
                                         sizeof name - 1, NULL, NULL);
        size_t used = strlen(text);

        name[length < 0 ? 0 : length] = 0;
        snprintf(text + used, size - used, "%c%s ",
                 record->Action < 6 ? signs[record->Action] : '?', name);
        if (!record->NextEntryOffset)
            break;
        at += record->NextEntryOffset;
    }
}

static void read_on(HANDLE folder, BOOL below, DWORD filter, OVERLAPPED *overlapped)
{
    EXPECT_OK(ReadDirectoryChangesW(folder, buffer, sizeof buffer, below, filter, NULL, overlapped,
                                    NULL));
}

/* Reads until this much has been told. */
static void expect_told(HANDLE folder, BOOL below, DWORD filter, OVERLAPPED *overlapped,
                        const char *wanted)
{
    char text[256] = "";

    while (strlen(text) < strlen(wanted)) {
        DWORD bytes = 0;

        ASSERT_EQ(WaitForSingleObject(overlapped->hEvent, MEANWHILE_MS), WAIT_OBJECT_0);
        ASSERT_OK(GetOverlappedResult(folder, overlapped, &bytes, FALSE));
        append_records(text, sizeof text, bytes);
        read_on(folder, below, filter, overlapped);
    }
    EXPECT_STREQ(text, wanted);
}

static void end_reading(HANDLE folder, OVERLAPPED *overlapped)
{
    DWORD bytes;

    EXPECT_OK(CancelIoEx(folder, overlapped));
    EXPECT_SIGNALLED(overlapped->hEvent);
    EXPECT_FAILS(GetOverlappedResult(folder, overlapped, &bytes, FALSE), ERROR_OPERATION_ABORTED);
    EXPECT_OK(CloseHandle(folder));
    EXPECT_OK(CloseHandle(overlapped->hEvent));
}

TEST_IN_EACH_KIND(Win32FolderChanges, records_by_an_event)
{
    enum { FILTER = FILE_NOTIFY_CHANGE_FILE_NAME | FILE_NOTIFY_CHANGE_SIZE };
    OVERLAPPED overlapped = {.hEvent = new_manual_event()};
    HANDLE folder, file;
    DWORD written;

    folder_make();
    folder = open_folder(FILE_FLAG_OVERLAPPED);
    ASSERT_NE(folder, INVALID_HANDLE_VALUE);
    read_on(folder, FALSE, FILTER, &overlapped);
    EXPECT_EQ(WaitForSingleObject(overlapped.hEvent, 0), WAIT_TIMEOUT);
    file = CreateFileA(in_folder("one"), GENERIC_WRITE, 0, NULL, CREATE_NEW, 0, NULL);
    EXPECT_OK(WriteFile(file, "1", 1, &written, NULL));
    EXPECT_OK(CloseHandle(file));
    EXPECT_OK(MoveFileA(in_folder("one"), in_folder("two")));
    EXPECT_OK(DeleteFileA(in_folder("two")));
    expect_told(folder, FALSE, FILTER, &overlapped, "+one !one -one +two -two ");
    end_reading(folder, &overlapped);
    folder_remove(NULL);
}

TEST_IN_EACH_KIND(Win32FolderChanges, records_of_all_below)
{
    enum { FILTER = FILE_NOTIFY_CHANGE_FILE_NAME | FILE_NOTIFY_CHANGE_DIR_NAME };
    OVERLAPPED overlapped = {.hEvent = new_manual_event()};
    HANDLE folder;

    folder_make();
    EXPECT_OK(CreateDirectoryA(in_folder("a"), NULL));
    folder = open_folder(FILE_FLAG_OVERLAPPED);
    ASSERT_NE(folder, INVALID_HANDLE_VALUE);
    read_on(folder, TRUE, FILTER, &overlapped);
    file_make("a/one", "1");
    expect_told(folder, TRUE, FILTER, &overlapped, "+a/one ");
    EXPECT_OK(MoveFileA(in_folder("a"), in_folder("b")));
    expect_told(folder, TRUE, FILTER, &overlapped, "-a +b ");
    EXPECT_OK(DeleteFileA(in_folder("b/one")));
    expect_told(folder, TRUE, FILTER, &overlapped, "-b/one ");
    EXPECT_OK(RemoveDirectoryA(in_folder("b")));
    expect_told(folder, TRUE, FILTER, &overlapped, "-b ");
    end_reading(folder, &overlapped);
    folder_remove(NULL);
}

/* ---- The other ways to wait ---- */

static int called;
static DWORD called_error, called_bytes;

static VOID CALLBACK note(DWORD error, DWORD bytes, LPOVERLAPPED overlapped)
{
    called++;
    called_error = error;
    called_bytes = bytes;
}

TEST_IN_EACH_KIND(Win32FolderChanges, records_by_a_procedure)
{
    OVERLAPPED overlapped = {0};
    char text[64] = "";
    HANDLE folder;

    called = 0;
    folder_make();
    folder = open_folder(FILE_FLAG_OVERLAPPED);
    ASSERT_OK(ReadDirectoryChangesW(folder, buffer, sizeof buffer, FALSE,
                                    FILE_NOTIFY_CHANGE_FILE_NAME, NULL, &overlapped, note));
    file_make("one", "1");
    EXPECT_EQ(SleepEx(MEANWHILE_MS, TRUE), WAIT_IO_COMPLETION);
    EXPECT_EQ(called, 1);
    EXPECT_EQ(called_error, ERROR_SUCCESS);
    append_records(text, sizeof text, called_bytes);
    EXPECT_STREQ(text, "+one ");
    EXPECT_OK(CloseHandle(folder));
    folder_remove("one", NULL);
}

TEST_IN_EACH_KIND(Win32FolderChanges, records_by_a_port)
{
    OVERLAPPED overlapped = {0}, *completed = NULL;
    char text[64] = "";
    HANDLE folder, port;
    ULONG_PTR key = 0;
    DWORD bytes = 0;

    folder_make();
    folder = open_folder(FILE_FLAG_OVERLAPPED);
    port = CreateIoCompletionPort(folder, NULL, 7, 1);
    ASSERT_NE(port, NULL);
    read_on(folder, FALSE, FILE_NOTIFY_CHANGE_FILE_NAME, &overlapped);
    file_make("one", "1");
    EXPECT_OK(GetQueuedCompletionStatus(port, &bytes, &key, &completed, MEANWHILE_MS));
    EXPECT_EQ(key, 7);
    EXPECT_EQ(completed, &overlapped);
    append_records(text, sizeof text, bytes);
    EXPECT_STREQ(text, "+one ");
    EXPECT_OK(CloseHandle(folder));
    EXPECT_OK(CloseHandle(port));
    folder_remove("one", NULL);
}

static struct {
    HANDLE folder;
    int over;
} reader;

static void read_one(void *unused)
{
    DWORD bytes = 0;
    char text[64] = "";

    EXPECT_OK(ReadDirectoryChangesW(reader.folder, buffer, sizeof buffer, FALSE,
                                    FILE_NOTIFY_CHANGE_DIR_NAME, &bytes, NULL, NULL));
    append_records(text, sizeof text, bytes);
    EXPECT_EQ(text[0] == '+' || text[0] == '-', true);
    __atomic_store_n(&reader.over, 1, __ATOMIC_RELEASE);
}

/* One change is enough for a worker: it watches the folder by the time it has left its scheduler.
 * */
static void change_once(void *unused)
{
    EXPECT_OK(CreateDirectoryA(in_folder("one"), NULL));
}

/* Another thread watches the folder from some moment of its call on. So the folder changes until it
 * has read a change. */
static void change_until_it_is_read(void *unused)
{
    ULONGLONG end = GetTickCount64() + MEANWHILE_MS;

    while (!__atomic_load_n(&reader.over, __ATOMIC_ACQUIRE) && GetTickCount64() < end) {
        EXPECT_OK(CreateDirectoryA(in_folder("one"), NULL));
        EXPECT_OK(RemoveDirectoryA(in_folder("one")));
        Sleep(1);
    }
}

TEST(Win32FolderChanges, records_without_an_overlapped)
{
    for (enum kind kind = KIND_PLAIN; kind < KINDS; kind++) {
        folder_make();
        reader.folder = open_folder(0);
        reader.over = 0;
        on_kind(kind, read_one, kind == KIND_WORKER ? change_once : change_until_it_is_read, NULL);
        EXPECT_OK(CloseHandle(reader.folder));
        if (kind == KIND_WORKER)
            EXPECT_OK(RemoveDirectoryA(in_folder("one")));
        folder_remove(NULL);
    }
}

/* ---- Ends ---- */

TEST_IN_EACH_KIND(Win32FolderChanges, what_does_not_fit_is_0_bytes)
{
    OVERLAPPED overlapped = {.hEvent = new_manual_event()};
    DWORD bytes = 99, small[2];
    HANDLE folder;

    folder_make();
    folder = open_folder(FILE_FLAG_OVERLAPPED);
    ASSERT_OK(ReadDirectoryChangesW(folder, small, sizeof small, FALSE,
                                    FILE_NOTIFY_CHANGE_FILE_NAME, NULL, &overlapped, NULL));
    file_make("one", "1");
    EXPECT_SIGNALLED(overlapped.hEvent);
    EXPECT_OK(GetOverlappedResult(folder, &overlapped, &bytes, FALSE));
    EXPECT_EQ(bytes, 0);
    EXPECT_OK(CloseHandle(folder));
    EXPECT_OK(CloseHandle(overlapped.hEvent));
    folder_remove("one", NULL);
}

TEST_IN_EACH_KIND(Win32FolderChanges, closing_ends_a_read)
{
    OVERLAPPED overlapped = {.hEvent = new_manual_event()};
    HANDLE folder;

    folder_make();
    folder = open_folder(FILE_FLAG_OVERLAPPED);
    read_on(folder, FALSE, FILE_NOTIFY_CHANGE_FILE_NAME, &overlapped);
    EXPECT_OK(CloseHandle(folder));
    EXPECT_SIGNALLED(overlapped.hEvent);
    EXPECT_EQ((DWORD)overlapped.Internal, 0xc0000120u);
    EXPECT_OK(CloseHandle(overlapped.hEvent));
    folder_remove(NULL);
}

TEST_IN_EACH_KIND(Win32FolderChanges, bad_arguments)
{
    OVERLAPPED overlapped = {0};
    HANDLE event = new_manual_event(), folder, file;
    const char *one;

    folder_make();
    file_make("one", "1");
    one = in_folder("one");
    folder = open_folder(FILE_FLAG_OVERLAPPED);
    file = CreateFileA(one, GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING, 0, NULL);

#define FIRST(path, filter)                                                                        \
    (FindFirstChangeNotificationA(path, FALSE, filter) != INVALID_HANDLE_VALUE)
    EXPECT_FAILS(FIRST(in_folder("."), 0), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(FIRST(in_folder("."), 0x8000), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(FIRST(one, FILE_NOTIFY_CHANGE_SIZE), ERROR_DIRECTORY);
    EXPECT_FAILS(FIRST(in_folder("none"), FILE_NOTIFY_CHANGE_SIZE), ERROR_FILE_NOT_FOUND);
    EXPECT_FAILS(FindNextChangeNotification(event), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(FindCloseChangeNotification(event), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(FindNextChangeNotification(NULL), ERROR_INVALID_HANDLE);

#define READ(handle, to, filter, how)                                                              \
    ReadDirectoryChangesW(handle, to, sizeof buffer - 8, FALSE, filter, NULL, how, NULL)
    EXPECT_FAILS(READ(NULL, buffer, FILE_NOTIFY_CHANGE_SIZE, &overlapped), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(READ(event, buffer, FILE_NOTIFY_CHANGE_SIZE, &overlapped), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(READ(file, buffer, FILE_NOTIFY_CHANGE_SIZE, NULL), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(READ(folder, buffer, 0, &overlapped), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(READ(folder, buffer, 0x8000, &overlapped), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(READ(folder, (char *)buffer + 1, FILE_NOTIFY_CHANGE_SIZE, &overlapped),
                 ERROR_NOACCESS);
    EXPECT_FAILS(READ(folder, NULL, FILE_NOTIFY_CHANGE_SIZE, &overlapped), ERROR_NOACCESS);
    EXPECT_FAILS(READ(folder, buffer, FILE_NOTIFY_CHANGE_SIZE, NULL), ERROR_INVALID_PARAMETER);
    EXPECT_OK(CloseHandle(folder));
    EXPECT_OK(CloseHandle(file));
    EXPECT_OK(CloseHandle(event));
    folder_remove("one", NULL);
}
