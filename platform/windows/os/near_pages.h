/* SPDX-License-Identifier: MIT
 *
 * near_pages.h - memory for code, near other code.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_OS_NEAR_PAGES_H
#define UMSSHIM_PLATFORM_WINDOWS_OS_NEAR_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Memory that can be reached from all addresses in [from, to) by signed 32-bit displacements, or,
 * with `above`, by unsigned ones from `from`. Writable; NULL if there is none. */
void *near_pages(uintptr_t from, uintptr_t to, bool above, size_t bytes);

/* Makes it executable and read-only. */
bool near_pages_seal(void *pages, size_t bytes);

#endif
