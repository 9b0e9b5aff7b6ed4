/* SPDX-License-Identifier: MIT
 *
 * heap.h - the process heap, for calls that hand out memory of it.
 */
#ifndef UMSSHIM_WINAPI_LINUX_HEAP_H
#define UMSSHIM_WINAPI_LINUX_HEAP_H

/* In a child after fork: locks may be stuck. */
void heaps_forget(void);

#endif
