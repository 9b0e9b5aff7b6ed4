/* SPDX-License-Identifier: MIT
 *
 * umsshim_sdk.h - <windows.h> for Microsoft's compiler and for clang-cl, with Microsoft's headers.
 *
 * They have everything that this folder adds for gcc, so each header here only passes to the one of
 * its name. cl.exe has no include_next: it finds that one in the folder beside the others of the
 * SDK or of the compiler (um, shared, ucrt; include), which are all in its search path. So a copy
 * of this folder for it must not have one of these names: it is installed as include/umsshim.
 * umsshim.h is the only addition.
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
