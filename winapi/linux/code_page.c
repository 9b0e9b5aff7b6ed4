/* SPDX-License-Identifier: MIT
 *
 * code_page.c - see code_page.h.
 */
#include <iconv.h>
#include <stdio.h>
#include <stdlib.h>

#include "winapi/linux/code_page.h"
#include "winapi/linux/text.h"

/* iconv's name for a page, where it is not "CP" and the number. */
static const struct {
    UINT number;
    const char *name;
} pages[] = {
    {437, NULL},
    {737, NULL},
    {775, NULL},
    {850, NULL},
    {852, NULL},
    {855, NULL},
    {857, NULL},
    {858, NULL},
    {860, NULL},
    {861, NULL},
    {862, NULL},
    {863, NULL},
    {864, NULL},
    {865, NULL},
    {866, NULL},
    {869, NULL},
    {874, NULL},
    {1250, NULL},
    {1251, NULL},
    {1252, NULL},
    {1253, NULL},
    {1254, NULL},
    {1255, NULL},
    {1256, NULL},
    {1257, NULL},
    {1258, NULL},
    {10000, "MACINTOSH"},
    {20866, "KOI8-R"},
    {21866, "KOI8-U"},
    {28591, "ISO-8859-1"},
    {28592, "ISO-8859-2"},
    {28593, "ISO-8859-3"},
    {28594, "ISO-8859-4"},
    {28595, "ISO-8859-5"},
    {28596, "ISO-8859-6"},
    {28597, "ISO-8859-7"},
    {28598, "ISO-8859-8"},
    {28599, "ISO-8859-9"},
    {28603, "ISO-8859-13"},
    {28605, "ISO-8859-15"},
};
enum { PAGES = sizeof pages / sizeof *pages };

static _Atomic(struct code_page *) tables[PAGES]; /* published when whole; never changed */

UINT win__page_number(UINT page)
{
    switch (page) {
    case CP_ACP:
    case CP_OEMCP:
    case CP_THREAD_ACP:
        return CP_UTF8;
    case CP_MACCP:
        return 10000;
    default:
        return page;
    }
}

static int index_of(UINT number)
{
    for (int i = 0; i < PAGES; i++)
        if (pages[i].number == number)
            return i;
    return -1;
}

bool win__page_known(UINT number)
{
    return number == CP_UTF8 || index_of(number) >= 0;
}

/* Where a page leaves a byte of the control range open, Windows has a control character. */
static uint32_t point_of(iconv_t converter, unsigned char byte)
{
    char *from = (char *)&byte;
    uint32_t point = BAD_POINT;
    char *to = (char *)&point;
    size_t bytes = 1, room = sizeof point;
    iconv(converter, NULL, NULL, NULL, NULL);
    if (iconv(converter, &from, &bytes, &to, &room) != (size_t)-1 && room == 0)
        return point;
    return byte >= 0x80 && byte < 0xA0 ? byte : BAD_POINT;
}

static struct code_page *make_table(int index)
{
    char name[16];
    snprintf(name, sizeof name, "CP%u", pages[index].number);
    iconv_t converter = iconv_open("UTF-32LE", pages[index].name ? pages[index].name : name);
    if (converter == (iconv_t)-1) {
        plat_log("code page %u is not there: iconv lacks it; install libc's gconv modules",
                 pages[index].number);
        return NULL;
    }
    struct code_page *page = malloc(sizeof *page);
    if (page) {
        page->number = pages[index].number;
        for (unsigned byte = 0; byte < 256; byte++)
            page->points[byte] = point_of(converter, (unsigned char)byte);
    }
    iconv_close(converter);
    return page;
}

const struct code_page *win__code_page(UINT number)
{
    int index = index_of(number);
    if (index < 0)
        return NULL;
    struct code_page *known = tables[index], *none = NULL;
    if (known)
        return known;
    struct code_page *fresh = make_table(index);
    if (!fresh || atomic_compare_exchange_strong(&tables[index], &none, fresh))
        return fresh;
    free(fresh);
    return none;
}

int win__byte_of(const struct code_page *page, uint32_t point)
{
    if (point < 256 && page->points[point] == point)
        return (int)point;
    for (int byte = 0; byte < 256; byte++)
        if (page->points[byte] == point)
            return byte;
    return -1;
}
