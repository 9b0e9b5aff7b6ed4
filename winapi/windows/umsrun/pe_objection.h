/* SPDX-License-Identifier: MIT
 *
 * pe_objection.h - finds the reason why pe_link cannot change a program's file. Calls no system, as
 * pe_image.h.
 */
#ifndef UMSSHIM_WINAPI_WINDOWS_UMSRUN_PE_OBJECTION_H
#define UMSSHIM_WINAPI_WINDOWS_UMSRUN_PE_OBJECTION_H

#include "winapi/windows/pe_image.h"

/* NULL, or the reason: the end of a sentence about the program. With NULL the headers are within
 * the file, and both alignments are powers of two that loaders accept. */
const char *pe_objection(const struct pe_image *image);

#endif
