/* SPDX-License-Identifier: MIT
 *
 * register.h - umsrun --register, --unregister, --registered: programs that the system starts by
 * umsrun, whoever asks for them: the Explorer, the service manager, another program.
 *
 * The means is the system's own, "Image File Execution Options": a key of the registry for each
 * name of a program, whose value Debugger is put before the command line. So it goes by a program's
 * name, not by its folder, and takes an administrator. One more value beside it says that it is
 * ours.
 */
#ifndef UMSSHIM_WINAPI_WINDOWS_UMSRUN_REGISTER_H
#define UMSSHIM_WINAPI_WINDOWS_UMSRUN_REGISTER_H

#include <stdbool.h>
#include <windows.h>

/* The option that Debugger has behind umsrun's path: the system, not a user, starts umsrun. */
#define AS_REGISTERED L"--as-registered"

/* Each tells what it does before it does it. NULL, or the problem, for the end of a line about
 * `name`; `error` is the system's, or 0. `name` is the program's, with or without a folder. */
const char *register_program(const wchar_t *name, DWORD *error);
const char *unregister_program(const wchar_t *name, DWORD *error);
/* Prints the names. */
const char *registered_programs(DWORD *error);

/* The system would start umsrun in the place of this program. */
bool is_registered(const wchar_t *path);

#endif
