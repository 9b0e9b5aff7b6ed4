/* SPDX-License-Identifier: MIT
 *
 * message_table.h - what the system's errors mean.
 */
#ifndef UMSSHIM_WINAPI_LINUX_MESSAGE_TABLE_H
#define UMSSHIM_WINAPI_LINUX_MESSAGE_TABLE_H

#include "winapi/linux/surface.h"

/* One sentence without a line's end, or NULL: not known. */
const char *win__message_text(DWORD error);

#endif
