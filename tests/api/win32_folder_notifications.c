/* SPDX-License-Identifier: MIT
 *
 * win32_folder_notifications.c - FindFirstChangeNotification: that something changes in a folder.
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

TEST_IN_EACH_KIND(Win32FolderNotifications, a_notification_for_each_change)
{
    HANDLE change;

    folder_make();
    change = FindFirstChangeNotificationA(in_folder("."), FALSE, FILE_NOTIFY_CHANGE_FILE_NAME);
    ASSERT_NE(change, INVALID_HANDLE_VALUE);
    EXPECT_EQ(WaitForSingleObject(change, 0), WAIT_TIMEOUT);
    file_make("one", "1");
    EXPECT_SIGNALLED(change);
    EXPECT_SIGNALLED(change); /* it stays signalled until it is armed again */
    EXPECT_OK(FindNextChangeNotification(change));
    EXPECT_EQ(WaitForSingleObject(change, 0), WAIT_TIMEOUT);
    EXPECT_OK(DeleteFileA(in_folder("one")));
    EXPECT_SIGNALLED(change);
    file_make("two", "2"); /* seen before it is armed, or after */
    EXPECT_OK(FindNextChangeNotification(change));
    EXPECT_SIGNALLED(change);
    EXPECT_OK(FindCloseChangeNotification(change));
    folder_remove("two", NULL);
}

TEST_IN_EACH_KIND(Win32FolderNotifications, a_notification_of_what_is_asked_for)
{
    HANDLE change;

    folder_make();
    change = FindFirstChangeNotificationW(u"/nowhere/at/all", FALSE, FILE_NOTIFY_CHANGE_DIR_NAME);
    EXPECT_EQ(change, INVALID_HANDLE_VALUE);
    change = FindFirstChangeNotificationA(in_folder(""), FALSE, FILE_NOTIFY_CHANGE_DIR_NAME);
    ASSERT_NE(change, INVALID_HANDLE_VALUE);
    file_make("one", "1");
    EXPECT_EQ(WaitForSingleObject(change, 20), WAIT_TIMEOUT);
    EXPECT_OK(CreateDirectoryA(in_folder("below"), NULL));
    EXPECT_SIGNALLED(change);
    EXPECT_OK(FindNextChangeNotification(change));
    EXPECT_OK(CreateDirectoryA(in_folder("below/again"), NULL)); /* not in it */
    EXPECT_EQ(WaitForSingleObject(change, 20), WAIT_TIMEOUT);
    EXPECT_OK(CloseHandle(change));
    EXPECT_OK(RemoveDirectoryA(in_folder("below/again")));
    EXPECT_OK(RemoveDirectoryA(in_folder("below")));
    folder_remove("one", NULL);
}

TEST_IN_EACH_KIND(Win32FolderNotifications, a_notification_of_all_below)
{
    HANDLE change;

    folder_make();
    EXPECT_OK(CreateDirectoryA(in_folder("old"), NULL));
    change = FindFirstChangeNotificationA(in_folder("."), TRUE, FILE_NOTIFY_CHANGE_FILE_NAME);
    ASSERT_NE(change, INVALID_HANDLE_VALUE);
    file_make("old/one", "1");
    EXPECT_SIGNALLED(change);
    EXPECT_OK(FindNextChangeNotification(change));
    EXPECT_OK(CreateDirectoryA(in_folder("new"), NULL));
    file_make("new/one", "1"); /* before the new folder is watched, or after */
    EXPECT_SIGNALLED(change);
    EXPECT_OK(FindCloseChangeNotification(change));
    EXPECT_OK(DeleteFileA(in_folder("old/one")));
    EXPECT_OK(DeleteFileA(in_folder("new/one")));
    EXPECT_OK(RemoveDirectoryA(in_folder("old")));
    EXPECT_OK(RemoveDirectoryA(in_folder("new")));
    folder_remove(NULL);
}

static VOID CALLBACK pass_on(PVOID event, BOOLEAN timed_out)
{
    EXPECT_EQ(timed_out, FALSE);
    EXPECT_OK(SetEvent(event));
}

TEST_IN_EACH_KIND(Win32FolderNotifications, a_notification_that_a_pool_waits_for)
{
    HANDLE called = new_manual_event(), change, wait;

    folder_make();
    change = FindFirstChangeNotificationA(in_folder("."), FALSE, FILE_NOTIFY_CHANGE_FILE_NAME);
    ASSERT_NE(change, INVALID_HANDLE_VALUE);
    for (int i = 0; i < 2; i++) {
        ASSERT_OK(RegisterWaitForSingleObject(&wait, change, pass_on, called, INFINITE,
                                              WT_EXECUTEONLYONCE));
        EXPECT_EQ(WaitForSingleObject(called, 0), WAIT_TIMEOUT);
        file_make(i ? "two" : "one", "1");
        EXPECT_SIGNALLED(called);
        EXPECT_OK(UnregisterWaitEx(wait, INVALID_HANDLE_VALUE));
        EXPECT_OK(ResetEvent(called));
        EXPECT_OK(FindNextChangeNotification(change));
    }
    EXPECT_OK(FindCloseChangeNotification(change));
    EXPECT_OK(CloseHandle(called));
    folder_remove("one", "two", NULL);
}
