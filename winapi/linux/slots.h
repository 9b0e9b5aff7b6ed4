/* SPDX-License-Identifier: MIT
 *
 * slots.h - the slots of Tls and Fls: a process has the indices, and each thread has values for
 * them.
 *
 * A thread's control block leads to its values, so a worker has its own on every carrier. A switch
 * of fibers exchanges the Fls values. Each value has the generation of its index; to free an index
 * begins a new generation, so every thread reads NULL then.
 */
#ifndef UMSSHIM_WINAPI_LINUX_SLOTS_H
#define UMSSHIM_WINAPI_LINUX_SLOTS_H

#include "winapi/linux/surface.h"

enum { SLOT_COUNT = TLS_MINIMUM_AVAILABLE + 1024 };
enum slot_kind { SLOTS_TLS, SLOTS_FLS, SLOT_KINDS };

typedef void (*slot_callback)(void *value);

/* These four set the last error as the Win32 calls do. An index, or TLS_OUT_OF_INDEXES. */
DWORD slot_alloc(enum slot_kind kind, slot_callback callback);
/* Calls the callback for each value of the index that is not NULL, of any thread or fiber. */
BOOL slot_free(enum slot_kind kind, DWORD index);
/* NULL may be a value: on success the last error is 0. */
void *slot_value(enum slot_kind kind, DWORD index);
BOOL slot_set(enum slot_kind kind, DWORD index, void *value);

/* False: the index is not allocated. Does not set the last error. */
bool slot_get(enum slot_kind kind, DWORD index, void **value);

struct slot_values;
/* Makes these the calling thread's Fls values; NULL: it has none yet. Returns the former ones. */
struct slot_values *slots_exchange(struct slot_values *values);
/* Calls the callbacks for the values of a fiber that no thread runs, and frees them. */
void slots_discard(struct slot_values *values);

/* In a child after fork: drops the other threads' values, without callbacks. */
void slots_forget(void);

#endif
