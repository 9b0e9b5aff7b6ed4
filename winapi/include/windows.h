/* SPDX-License-Identifier: MIT
 *
 * The installed <windows.h> (Wine's natively, MinGW's in a cross build) plus the UMS declarations
 * it lacks, so that a source which includes nothing but <windows.h> sees them; natively also the
 * thread pool's inline functions.
 *
 * No include guard of its own: both headers behind it have one, and include_next must be reached.
 */
#if defined(__GNUC__)
#pragma GCC system_header
#endif
#include_next <windows.h>
#if !defined(_WIN32)
#include "threadpool_environment.h"
#endif
#include "umsshim.h"
