/* SPDX-License-Identifier: MIT
 *
 * heap.h - the heaps' locks after a fork.
 */
#ifndef UMSSHIM_WINAPI_LINUX_HEAP_H
#define UMSSHIM_WINAPI_LINUX_HEAP_H

/* In a child after fork: a thread of the parent may have held a lock. */
void heaps_forget(void);

#endif
