/* SPDX-License-Identifier: MIT
 *
 * movable.h - movable memory: handles that are not addresses.
 *
 * There may be 65,536 at a time, as on Windows. A handle is the address of an entry in the table,
 * plus 8; no block of the heap has such an address. Each block begins with its handle, so that the
 * handle is found from the address. The entries are under the table's lock.
 */
#ifndef UMSSHIM_WINAPI_LINUX_MOVABLE_H
#define UMSSHIM_WINAPI_LINUX_MOVABLE_H

#include "winapi/linux/surface.h"

/* A call that fails sets the last error. */
HANDLE movable_alloc(UINT flags, SIZE_T bytes); /* 0 bytes: a discarded block */
bool movable_is(const void *memory);            /* a good handle? Sets no last error */
void *movable_lock(HANDLE handle);
/* TRUE: it is still locked. FALSE with 0: not any more. FALSE with ERROR_NOT_LOCKED: it was not
 * locked. */
BOOL movable_unlock(HANDLE handle);
HANDLE movable_realloc(HANDLE handle, SIZE_T bytes, UINT flags);
SIZE_T movable_size(HANDLE handle);
UINT movable_flags(HANDLE handle);
void movable_free(HANDLE handle);
/* The handle of a block's address. NULL: no movable memory. */
HANDLE movable_of(const void *address);
/* In a child after fork: no thread of the child holds the lock. */
void movable_forget(void);

#endif
