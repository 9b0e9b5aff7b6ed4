/* SPDX-License-Identifier: MIT
 *
 * system_images.h - where the system's modules begin, and what is in them by name.
 *
 * The first UMS call asks the loader where they are, before it takes the lock under which the
 * engine starts: the first call of a DllMain has the loader's lock and waits for that one. From
 * then on nobody asks the loader; names are looked up in the modules' export tables. The modules
 * stay as long as the process.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_OS_SYSTEM_IMAGES_H
#define UMSSHIM_PLATFORM_WINDOWS_OS_SYSTEM_IMAGES_H

#include <windows.h>

struct system_images {
    HMODULE ntdll, kernelbase;
};

/* Set when the engine starts. */
extern struct system_images system_images;

/* Asks the loader: with no lock held. */
struct system_images system_images_ask(void);

/* A function that the module exports, or forwards to the other one of them; NULL if it does
 * neither. */
void *system_function(HMODULE module, const char *name);

#endif
