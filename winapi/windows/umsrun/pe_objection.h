/* SPDX-License-Identifier: MIT
 *
 * pe_objection.h - programs that get no DLL more in their file, by name of what stands against it.
 * Pure, as pe_image.h.
 */
#ifndef UMSSHIM_WINAPI_WINDOWS_UMSRUN_PE_OBJECTION_H
#define UMSSHIM_WINAPI_WINDOWS_UMSRUN_PE_OBJECTION_H

#include "winapi/windows/pe_image.h"

/* NULL, or the end of a sentence about the program. Without one the headers lie within the file,
 * and both alignments are powers of two that a loader takes. */
const char *pe_objection(const struct pe_image *image);

#endif
