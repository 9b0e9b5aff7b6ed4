/* SPDX-License-Identifier: MIT
 *
 * as_windows.h - makes Wine as strict as Windows in some points where it is more lenient.
 *
 * The DLL is loaded before umsshim.dll (launch.c), in the process's first thread; what it changes is there from
 * the first instruction of the program on. UMSSHIM_TEST_AS_WINDOWS names the points, parted by commas, or
 * "all"; one that it does not know ends the process.
 */
#ifndef UMSSHIM_TESTS_WINDOWS_AS_WINDOWS_H
#define UMSSHIM_TESTS_WINDOWS_AS_WINDOWS_H

#include <stdbool.h>
#include <windows.h>
#include <winternl.h>

bool as_windows_wants(const char *point);
/* A line on standard error, and the end of the process: it did what Windows does not allow. */
_Noreturn void as_windows_ends(const char *why, const char *which);

/* "hooks", and how the other points get at system calls (stubs.c): a call of ntdll's or win32u's stub comes to
 * `instead` (NULL: only through a jump of somebody else's). What it returns calls the system. */
void *stub_lead(HMODULE module, const char *name, void *instead);
void stubs_lead_all(HMODULE module);
/* A stub's copy near its module; NULL: it is not the usual. */
void *stub_copy(HMODULE module, const char *name);

/* "strangers": stubs of rare calls, and of calls that signal, have code that nobody knows. Not
 * among "all": the stubs are not led. */
void stubs_of_strangers(void);

void ticks_start(void); /* "ticks": time-outs end with the system's tick, every 15.625 ms */
void files_start(
    void); /* "files": a file open for synchronous use answers nothing while it is read */
void ends_start(void); /* "ends": who ends the process stands on a stack that remains */

/* "exceptions": a thread is on its way into an exception, and registers that are set are lost. */
void exceptions_start(void);

/* A function of ntdll's, by the imports of the modules that are there. */
void imports_lead(const char *name, void *to, void **original);

/* "effect": kernelbase's SetEvent calls around its stub. Not among "all": no hook would do. */
void effect_start(void);
/* "alerts": ntdll's own call of a stub goes around it. Not among "all", for the same reason. */
void alerts_start(void);

void teb_start(void); /* "teb": functions of ntdll keep the block's address over their waits */
void teb_loader_start(void); /* "loader": who loads is noted in the block, and its address kept */

void loaded_flags(void);   /* "flags": the first thread's bits in the TEB */
void loaded_exports(void); /* "exports": the UMS functions are one function */
void loaded_imports(void); /* "imports": one that is not there ends the process */

#endif
