/* SPDX-License-Identifier: MIT
 *
 * slow_page.h - a page that does not come for as long as the process lives: who touches it sleeps in a page fault.
 */
#ifndef UMSSHIM_TESTS_INSPECT_SLOW_PAGE_H
#define UMSSHIM_TESTS_INSPECT_SLOW_PAGE_H

extern volatile unsigned char *slow_page;

/* Before there is another thread. NULL, or why it cannot be had. */
const char *slow_page_make(void);

#endif
