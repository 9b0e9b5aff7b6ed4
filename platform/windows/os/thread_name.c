/* SPDX-License-Identifier: MIT
 *
 * thread_name.c - see thread_name.h.
 */
#include "platform/windows/os/thread_name.h"

#include "platform/windows/os/ntapi.h"

bool thread_name_of(uint32_t id, char *name, size_t room)
{
    enum { THREAD_NAME = 38, NAME_CHARS = 256 };
    struct {
        UNICODE_STRING text;
        wchar_t room[NAME_CHARS];
    } told = {0};
    HANDLE thread = OpenThread(THREAD_QUERY_LIMITED_INFORMATION, FALSE, id);
    if (!thread)
        return false;
    NTSTATUS status =
        nt.NtQueryInformationThread
            ? nt.NtQueryInformationThread(thread, THREAD_NAME, &told, sizeof told, NULL)
            : -1;
    CloseHandle(thread);
    if (status < 0 || !told.text.Length)
        return false;
    int length = WideCharToMultiByte(CP_UTF8, 0, told.text.Buffer, told.text.Length / 2, name,
                                     (int)room - 1, NULL, NULL);
    name[length > 0 ? length : 0] = 0;
    return length > 0;
}
