/* SPDX-License-Identifier: MIT
 *
 * code_page.h - the code pages with one byte for a character: the code point of each byte.
 *
 * The library makes a page's table with iconv when a program first asks for the page. The table
 * stays, and never changes.
 */
#ifndef UMSSHIM_WINAPI_LINUX_CODE_PAGE_H
#define UMSSHIM_WINAPI_LINUX_CODE_PAGE_H

#include "winapi/linux/surface.h"

struct code_page {
    UINT number;
    uint32_t points[256]; /* BAD_POINT: the page has no such byte */
};

/* The page's number; CP_ACP, CP_OEMCP and their kin become the number of their page. */
UINT win__page_number(UINT page);
/* Whether the page is UTF-8 or has a table. */
bool win__page_known(UINT number);
/* NULL: no page with a table, or the system's iconv lacks it; then a line on stderr says so. */
const struct code_page *win__code_page(UINT number);
/* The byte for a code point. -1: the page lacks the code point. */
int win__byte_of(const struct code_page *page, uint32_t point);

#endif
