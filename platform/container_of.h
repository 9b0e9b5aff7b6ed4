/* SPDX-License-Identifier: MIT
 *
 * container_of.h - from a member, such as the timer that a callback is given, to its record.
 */
#ifndef UMSSHIM_PLATFORM_CONTAINER_OF_H
#define UMSSHIM_PLATFORM_CONTAINER_OF_H

#include <stddef.h>

/* `record` is the record's type. The compiler warns if the member has another type than the pointer
 * points to. */
#define CONTAINER_OF(pointer, record, member)                                                      \
    ((record *)((char *)(1 ? (pointer) : &((record *)0)->member) - offsetof(record, member)))

#endif
