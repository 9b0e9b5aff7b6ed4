/* SPDX-License-Identifier: MIT
 *
 * umsshim_sdk.h - <windows.h> for Microsoft's compiler and for clang-cl, with Microsoft's headers.
 *
 * Microsoft's headers have everything that this folder adds for gcc. So each header here only
 * includes Microsoft's header of its name. cl.exe has no include_next. It finds Microsoft's header
 * by the name of its folder (um, shared, ucrt, include), beside the search path's other folders. So
 * this folder must not have one of these names: it is installed as include/umsshim. umsshim.h is
 * the only addition.
 */
#ifndef UMSSHIM_SDK_H
#define UMSSHIM_SDK_H

#ifdef __clang__
#include_next <windows.h>
#else
#include <../um/windows.h>
#endif
#include "umsshim.h"

#endif
