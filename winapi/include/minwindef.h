/* SPDX-License-Identifier: MIT
 *
 * minwindef.h - the basic types; natively they are <windef.h>'s.
 */
#if defined(_WIN32)
#include_next <minwindef.h>
#else
#include <windef.h>
#endif
