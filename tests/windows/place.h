/* SPDX-License-Identifier: MIT
 *
 * place.h - on which kernel thread a worker runs, and what the engine says of how it switches.
 */
#ifndef UMSSHIM_TESTS_WINDOWS_PLACE_H
#define UMSSHIM_TESTS_WINDOWS_PLACE_H

#include <windows.h>

#include <stdbool.h>
#include <string.h>

#include "gtest_c.h"

/* The id of the kernel thread that runs this (RealClientId in the TEB). */
static inline DWORD kernel_thread(void)
{
    DWORD64 id;

    __asm__ volatile("movq %%gs:0x7e0, %0" : "=r"(id));
    return (DWORD)id;
}

/* Whether `umsrun --check` would print these words. */
static inline bool described(const char *words)
{
    static char text[16384];
    int (*describe)(char *, size_t) =
        (void *)GetProcAddress(GetModuleHandleA("umsshim.dll"), "umsshim_describe");

    return EXPECT_OK(describe != NULL) && EXPECT_OK(describe(text, sizeof text)) &&
           strstr(text, words);
}

/* Whether the engine switches in place. It does what the environment wishes, or a check fails.
 * `excuse`: words by which the engine may say why it does not follow a wish for in place, or NULL.
 * The question is a UMS call. */
static inline bool switches_in_place(const char *excuse)
{
    char wish[16] = "";
    bool in_place = described("switching: in place\n");

    GetEnvironmentVariableA("UMSSHIM_SWITCH", wish, sizeof wish);
    EXPECT_OK(in_place || strcmp(wish, "inplace") != 0 || (excuse && described(excuse)));
    EXPECT_OK(!in_place || strcmp(wish, "pinned") != 0);
    return in_place;
}

#endif
