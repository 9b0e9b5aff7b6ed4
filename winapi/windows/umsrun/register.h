/* SPDX-License-Identifier: MIT
 *
 * register.h - umsrun --register, --unregister, --registered: programs that the system always
 * starts by umsrun, for the Explorer, the service manager and other programs.
 *
 * It uses the system's "Image File Execution Options". That is a key of the registry for each name
 * of a program; the system puts its value Debugger before the command line. So the program's name
 * decides, not its folder, and only an administrator can register. One more value in the key says
 * that umsrun has made it.
 */
#ifndef UMSSHIM_WINAPI_WINDOWS_UMSRUN_REGISTER_H
#define UMSSHIM_WINAPI_WINDOWS_UMSRUN_REGISTER_H

#include <stdbool.h>
#include <windows.h>

/* The option behind umsrun's path in Debugger: the system starts umsrun, not a user. */
#define AS_REGISTERED L"--as-registered"

/* Each prints its action first. NULL, or the problem, for the end of a line about `name`; `error`
 * is the system's, or 0. `name` is the program's, with or without a folder. */
const char *register_program(const wchar_t *name, DWORD *error);
const char *unregister_program(const wchar_t *name, DWORD *error);
/* Prints the names. */
const char *registered_programs(DWORD *error);

/* Whether the system starts umsrun instead of this program. */
bool is_registered(const wchar_t *path);

#endif
