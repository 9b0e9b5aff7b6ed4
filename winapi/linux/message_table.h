/* SPDX-License-Identifier: MIT
 *
 * message_table.h - the texts of the system's errors.
 */
#ifndef UMSSHIM_WINAPI_LINUX_MESSAGE_TABLE_H
#define UMSSHIM_WINAPI_LINUX_MESSAGE_TABLE_H

#include "winapi/linux/surface.h"

/* One sentence without the end of a line. NULL: no such error. */
const char *win__message_text(DWORD error);

#endif
