/* SPDX-License-Identifier: MIT
 *
 * attribute_list.h - what CreateRemoteThreadEx reads from an attribute list.
 */
#ifndef UMSSHIM_WINAPI_LINUX_ATTRIBUTE_LIST_H
#define UMSSHIM_WINAPI_LINUX_ATTRIBUTE_LIST_H

#include <stdbool.h>

#include "winapi/linux/surface.h"

/* Whether the list asks for a UMS worker, and with what. The version is the caller's to check. */
bool win__ums_attribute(const struct _PROC_THREAD_ATTRIBUTE_LIST *list,
                        UMS_CREATE_THREAD_ATTRIBUTES *attributes);

#endif
