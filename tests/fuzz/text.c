/* SPDX-License-Identifier: MIT
 *
 * text.c - MultiByteToWideChar and WideCharToMultiByte, in every page and into buffers of any size;
 * a valid text comes back unchanged.
 */
#include "fuzz.h"
#include "winapi/linux/text.h"

enum { MOST_UNITS = 4096 };

static const UINT pages[] = {CP_UTF8, CP_ACP, 1252, 437, 850, 1251, 28591, 20127, 65000, 932};
enum { PAGES = sizeof pages / sizeof *pages };

/* The whole need is the same with a buffer and without, and no buffer gets a unit too many. */
static void widen(UINT page, DWORD flags, const char *bytes, int count, int room)
{
    int needed = MultiByteToWideChar(page, flags, bytes, count, NULL, 0), given;
    WCHAR *wide = malloc((size_t)room * sizeof *wide + 1);

    MUST(wide && needed >= 0);
    given = MultiByteToWideChar(page, flags, bytes, count, wide, room);
    MUST(room ? given == (needed <= room ? needed : 0) : given == needed);
    free(wide);
}

static void narrow(UINT page, DWORD flags, const WCHAR *units, int count, int room)
{
    int needed = WideCharToMultiByte(page, flags, units, count, NULL, 0, NULL, NULL), given;
    char *bytes = malloc((size_t)room + 1);

    MUST(bytes && needed >= 0);
    given = WideCharToMultiByte(page, flags, units, count, bytes, room, NULL, NULL);
    MUST(room ? given == (needed <= room ? needed : 0) : given == needed);
    free(bytes);
}

static void there_and_back(const char *bytes, int count)
{
    int units = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, bytes, count, NULL, 0), back;
    WCHAR *wide;
    char *again;
    SIZE_T length;

    if (!units)
        return;
    wide = malloc((size_t)units * sizeof *wide);
    again = malloc((size_t)count);
    MUST(wide && again);
    MUST(MultiByteToWideChar(CP_UTF8, 0, bytes, count, wide, units) == units);
    back =
        WideCharToMultiByte(CP_UTF8, WC_ERR_INVALID_CHARS, wide, units, again, count, NULL, NULL);
    MUST(back == count && memcmp(again, bytes, (size_t)count) == 0);
    free(again);
    again = win__narrow(wide, (SIZE_T)units, &length);
    MUST(again && length == (SIZE_T)count && memcmp(again, bytes, length) == 0);
    free(again);
    free(wide);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = {data, data + size};
    UINT page = pages[take(&input, 1) % PAGES];
    DWORD flags = (DWORD)take(&input, 1);
    int room = (int)(take(&input, 2) % MOST_UNITS), count = (int)left(&input);
    char *text;

    if (count > MOST_UNITS)
        return 0;
    if (count)
        there_and_back((const char *)input.at, count);
    text = take_text(&input, MOST_UNITS);
    widen(page, flags & 0xf, text, count, room);
    widen(page, flags & 0xf, text, -1, room);
    narrow(page, flags & 0xf0, (const WCHAR *)(const void *)text, (count + 1) / 2, room);
    narrow(page, flags & 0xf0, (const WCHAR *)(const void *)text, -1, room);
    free(text);
    return 0;
}
