/* SPDX-License-Identifier: MIT
 *
 * own_name.h - names of objects that no other process uses. On Windows all processes have one name space,
 * and ctest runs several tests, or one in several modes, at a time.
 */
#ifndef UMSSHIM_TESTS_SUPPORT_OWN_NAME_H
#define UMSSHIM_TESTS_SUPPORT_OWN_NAME_H

#include <windows.h>

enum { OWN_NAME_LENGTH = 80, OWN_NAME_DIGITS = 10 };

/* name-PROCESS, in a buffer that lasts as long as the block around it. It leaves the last error
 * alone. */
#define OWN_NAME(name) own_name((char[OWN_NAME_LENGTH]){0}, (name))
#define OWN_NAME_W(name) own_name_w((WCHAR[OWN_NAME_LENGTH]){0}, (name))

static inline char *own_name(char *to, const char *name)
{
    DWORD process = GetCurrentProcessId();
    int length = 0;

    for (; name[length]; length++)
        to[length] = name[length];
    to[length++] = '-';
    for (int i = 0; i < OWN_NAME_DIGITS; i++, process /= 10)
        to[length++] = (char)('0' + process % 10);
    return to;
}

static inline WCHAR *own_name_w(WCHAR *to, const WCHAR *name)
{
    char process[OWN_NAME_LENGTH] = {0};
    int length = 0;

    own_name(process, "");
    for (; name[length]; length++)
        to[length] = name[length];
    for (int i = 0; process[i]; i++)
        to[length + i] = (WCHAR)process[i];
    return to;
}

#endif
