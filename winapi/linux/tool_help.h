/* SPDX-License-Identifier: MIT
 *
 * tool_help.h - <tlhelp32.h>, whose functions are exported like those of <windows.h>.
 */
#ifndef UMSSHIM_WINAPI_LINUX_TOOL_HELP_H
#define UMSSHIM_WINAPI_LINUX_TOOL_HELP_H

#include "winapi/linux/surface.h"
#pragma GCC visibility push(default)
#include <tlhelp32.h>
#pragma GCC visibility pop

#endif
