/* SPDX-License-Identifier: MIT
 *
 * code_page.h - the code pages with one byte for a character: which code point each byte is.
 *
 * iconv knows them; a page's table is made by it when the page is first asked for, stays, and is
 * never written again.
 */
#ifndef UMSSHIM_WINAPI_LINUX_CODE_PAGE_H
#define UMSSHIM_WINAPI_LINUX_CODE_PAGE_H

#include "winapi/linux/surface.h"

struct code_page {
    UINT number;
    uint32_t points[256]; /* BAD_POINT: the page has no such byte */
};

/* The number behind CP_ACP, CP_OEMCP and their kin. */
UINT win__page_number(UINT page);
/* Whether this page, by its number, is UTF-8 or has a table. */
bool win__page_known(UINT number);
/* NULL: no page with a table, or the system's iconv lacks it, which a line on stderr says. */
const struct code_page *win__code_page(UINT number);
/* -1: the page lacks the code point. */
int win__byte_of(const struct code_page *page, uint32_t point);

#endif
