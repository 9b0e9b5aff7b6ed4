/* SPDX-License-Identifier: MIT
 *
 * slots.h - what Tls and Fls indices have in common: indices of the process, values of the threads.
 *
 * Values hang on the thread's control block, so a worker's travel with it; those of Fls are
 * exchanged when the thread goes from one fiber to another. Each value carries the generation of
 * its index; freeing an index starts a new one, and so everybody reads NULL.
 */
#ifndef UMSSHIM_WINAPI_LINUX_SLOTS_H
#define UMSSHIM_WINAPI_LINUX_SLOTS_H

#include "winapi/linux/surface.h"

enum { SLOT_COUNT = TLS_MINIMUM_AVAILABLE + 1024 };
enum slot_kind { SLOTS_TLS, SLOTS_FLS, SLOT_KINDS };

typedef void (*slot_callback)(void *value);

/* What the calls return, with their last errors. An index, or TLS_OUT_OF_INDEXES. */
DWORD slot_alloc(enum slot_kind kind, slot_callback callback);
/* Calls the callback for each value that is not NULL, of whatever thread or fiber. */
BOOL slot_free(enum slot_kind kind, DWORD index);
/* NULL may be a value: success says so in the last error. */
void *slot_value(enum slot_kind kind, DWORD index);
BOOL slot_set(enum slot_kind kind, DWORD index, void *value);

/* False: the index is not allocated. Leaves the last error alone. */
bool slot_get(enum slot_kind kind, DWORD index, void **value);

struct slot_values;
/* The calling thread's Fls values are these now; NULL: none yet. What they were before. */
struct slot_values *slots_exchange(struct slot_values *values);
/* Calls the callbacks for these values, of a fiber that nobody runs, and gives them back. */
void slots_discard(struct slot_values *values);

/* In a child after fork: the other threads and their values are gone, without callbacks. */
void slots_forget(void);

#endif
