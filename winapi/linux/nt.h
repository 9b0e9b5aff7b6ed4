/* SPDX-License-Identifier: MIT
 *
 * nt.h - <winternl.h>, whose functions are exported like those of <windows.h>.
 */
#ifndef UMSSHIM_WINAPI_LINUX_NT_H
#define UMSSHIM_WINAPI_LINUX_NT_H

#include "winapi/linux/surface.h"
#pragma GCC visibility push(default)
#include <winternl.h>
#pragma GCC visibility pop

#endif
