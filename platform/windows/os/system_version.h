/* SPDX-License-Identifier: MIT
 *
 * system_version.h - which Windows this is, to the last digit: two systems with the same text have
 * the same ntdll.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_OS_SYSTEM_VERSION_H
#define UMSSHIM_PLATFORM_WINDOWS_OS_SYSTEM_VERSION_H

#include <stdbool.h>
#include <stddef.h>

/* "10.0.26100.4652, ntdll 6f1c2a3b kernelbase 1b2c3d4e": the revision is 0 if the registry does not
 * tell it. The stamps, by which the linker tells two builds of a module apart, are always there. */
void system_version_text(char *text, size_t room);

/* The processor is an Arm one, and x64 programs are emulated. */
bool system_emulates_x64(void);

#endif
