/* SPDX-License-Identifier: MIT
 *
 * attribute_list.h - reads an attribute list for CreateRemoteThreadEx.
 */
#ifndef UMSSHIM_WINAPI_LINUX_ATTRIBUTE_LIST_H
#define UMSSHIM_WINAPI_LINUX_ATTRIBUTE_LIST_H

#include <stdbool.h>

#include "winapi/linux/surface.h"

/* Whether the list asks for a UMS worker; then *attributes says with which context and list. The
 * caller checks the version. */
bool win__ums_attribute(const struct _PROC_THREAD_ATTRIBUTE_LIST *list,
                        UMS_CREATE_THREAD_ATTRIBUTES *attributes);

#endif
