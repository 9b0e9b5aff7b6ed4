/* SPDX-License-Identifier: MIT
 *
 * switches.h - says which variables of the environment look like switches of this library and are
 * none, or have a value that means nothing.
 *
 * A user who sets UMSSHIM_DISBALE=1 or UMSSHIM_DETECT=xyz gets one line on stderr, and not a
 * program that runs as if nothing were set. The library goes on with the default. The table is
 * switches.def; each switch is read where it is used.
 */
#ifndef UMSSHIM_PLATFORM_SWITCHES_SWITCHES_H
#define UMSSHIM_PLATFORM_SWITCHES_SWITCHES_H

enum switches_of { SWITCHES_OF_LINUX, SWITCHES_OF_WINDOWS };

/* Once in a process, when the engine begins. Uses no heap; takes no lock of ours. */
void switches_check(enum switches_of here);

#endif
