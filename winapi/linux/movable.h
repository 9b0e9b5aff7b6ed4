/* SPDX-License-Identifier: MIT
 *
 * movable.h - movable memory: handles that are not addresses.
 *
 * There are up to 65,536 at a time, as on Windows. A handle is the address of an entry of the table
 * plus 8, which no block of the heap's has. Each block begins with its handle, so that the handle
 * is found from the address. The table's lock guards entries.
 */
#ifndef UMSSHIM_WINAPI_LINUX_MOVABLE_H
#define UMSSHIM_WINAPI_LINUX_MOVABLE_H

#include "winapi/linux/surface.h"

/* All set the last error where they fail. */
HANDLE movable_alloc(UINT flags, SIZE_T bytes); /* 0 bytes: discarded from the start */
bool movable_is(const void *memory);            /* a good handle; does not set the last error */
void *movable_lock(HANDLE handle);
/* TRUE: still locked; FALSE with 0: not any more; FALSE with ERROR_NOT_LOCKED: it was not. */
BOOL movable_unlock(HANDLE handle);
HANDLE movable_realloc(HANDLE handle, SIZE_T bytes, UINT flags);
SIZE_T movable_size(HANDLE handle);
UINT movable_flags(HANDLE handle);
void movable_free(HANDLE handle);
/* The handle of a block's address; NULL: it is not movable memory. */
HANDLE movable_of(const void *address);
/* In a child after fork: nobody holds the lock. */
void movable_forget(void);

#endif
