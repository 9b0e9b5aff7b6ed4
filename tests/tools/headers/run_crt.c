/* SPDX-License-Identifier: MIT
 *
 * run_crt.c - results of the C run-time's secure and underscored functions.
 */
#include <crtdbg.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tchar.h>
#include <time.h>

#include "run_check.h"

static void strings(void)
{
    char text[8];
    char *rest = NULL;
    char words[] = "a,b";

    CHECK(strcpy_s(text, sizeof(text), "abc") == 0 && strcmp(text, "abc") == 0);
    CHECK(strcat_s(text, sizeof(text), "defg") == 0 && strcmp(text, "abcdefg") == 0);
    CHECK(strncpy_s(text, sizeof(text), "0123456789", 3) == 0 && strcmp(text, "012") == 0);
    CHECK(strncpy_s(text, sizeof(text), "0123456789", _TRUNCATE) == STRUNCATE);
    CHECK(strcmp(text, "0123456") == 0);
    CHECK(_stricmp("ABC", "abc") == 0 && _strnicmp("ABx", "aby", 2) == 0);
    CHECK(strcmp(strtok_s(words, ",", &rest), "a") == 0);
    CHECK(strcmp(strtok_s(NULL, ",", &rest), "b") == 0);
    CHECK(memcpy_s(text, sizeof(text), "xy", 3) == 0 && strcmp(_strupr(text), "XY") == 0);
    CHECK(_tcslen(_T("four")) == 4);
    rest = _strdup("copy");
    CHECK(rest && strcmp(rest, "copy") == 0);
    free(rest);
#ifdef __cplusplus
    CHECK(strcpy_s(text, "no size") == 0 && strcmp(text, "no size") == 0);
    CHECK(sprintf_s(text, "%d", 42) == 2 && strcmp(text, "42") == 0);
#endif
}

static void formats(void)
{
    char text[4] = "???";
    char number[66];

    CHECK(sprintf_s(text, sizeof(text), "%d", 123) == 3 && strcmp(text, "123") == 0);
    CHECK(_snprintf(text, 3, "%s", "abcd") == -1 && memcmp(text, "abc", 4) == 0);
    text[3] = '!';
    CHECK(_snprintf(text, 3, "%s", "xyz") == 3 && memcmp(text, "xyz!", 4) == 0);
    CHECK(_snprintf(text, 4, "%s", "ab") == 2 && strcmp(text, "ab") == 0);
    CHECK(_snprintf_s(text, sizeof(text), _TRUNCATE, "%s", "abcdef") == -1);
    CHECK(strcmp(text, "abc") == 0);
    CHECK(_snprintf_s(text, sizeof(text), 2, "%s", "abc") == -1 && strcmp(text, "ab") == 0);
    CHECK(strcmp(_itoa(-17, number, 10), "-17") == 0);
    CHECK(strcmp(_itoa(-1, number, 16), "ffffffff") == 0);
    CHECK(strcmp(_i64toa(INT64_MIN, number, 10), "-9223372036854775808") == 0);
    CHECK(strcmp(_ui64toa(5, number, 2), "101") == 0);
    CHECK(_atoi64("-5000000000") == -5000000000);
}

static void rest(void)
{
    time_t zero = 0;
    struct tm broken;
    FILE *file = (FILE *)&zero;
    void *block = _aligned_malloc(100, 256);

    CHECK(gmtime_s(&broken, &zero) == 0 && broken.tm_year == 70);
    CHECK(localtime_s(&broken, &zero) == 0);
    CHECK(fopen_s(&file, "no such folder/file", "r") != 0 && file == NULL);
    CHECK(block && (uintptr_t)block % 256 == 0);
    _aligned_free(block);
    CHECK(_msize(block = malloc(10)) >= 10);
    free(block);
    CHECK(_CrtDumpMemoryLeaks() == 0);
}

int main(int argc, char **argv)
{
    char text[8];

    /* With an argument: copies it where no more than 7 characters fit. */
    if (argc > 1)
        return strcpy_s(text, sizeof(text), argv[1]) ? 0 : 2;
    strings();
    formats();
    rest();
    return failures != 0;
}
