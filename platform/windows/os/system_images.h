/* SPDX-License-Identifier: MIT
 *
 * system_images.h - where the system's modules begin, and looking up their functions by name.
 *
 * The first UMS call asks the loader where they are. It does so before it takes the lock under
 * which the engine starts: another first call may come from a DllMain, which holds the loader's
 * lock, and wait for the engine's. From then on the engine looks names up in the modules' export
 * tables and does not ask the loader. The modules stay as long as the process.
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

/* A function that the module exports, or forwards to the other of the two modules; NULL if it does
 * neither. */
void *system_function(HMODULE module, const char *name);

#endif
