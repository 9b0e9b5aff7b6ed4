/* SPDX-License-Identifier: MIT
 *
 * probe.c - see probe.h. Built several times under different names: the loader takes each for
 * itself.
 */
#include "probe.h"

/* The C runtime's tlssup.c makes the TLS directory of these. */
extern ULONG _tls_index;
extern char *_tls_start;
__attribute__((section(".tls$N"))) static volatile LONG variable_template = PROBE_INITIAL;

__declspec(dllexport) struct probe *probe_notes(void);
__declspec(dllexport) volatile LONG *probe_variable(void);
BOOL WINAPI DllMain(HINSTANCE module, DWORD reason, LPVOID reserved);

static struct probe notes;

__attribute__((noinline)) volatile LONG *probe_variable(void)
{
    char **blocks;

    __asm__ volatile("mov %%gs:0x58, %0" : "=r"(blocks));
    return (void *)(blocks[_tls_index] + ((const volatile char *)&variable_template -
                                          (const volatile char *)&_tls_start));
}

struct probe *probe_notes(void)
{
    return &notes;
}

static void note(struct probe_event *events, int *count, DWORD reason)
{
    int at = __atomic_fetch_add(count, 1, __ATOMIC_ACQ_REL);

    if (at < PROBE_EVENTS)
        events[at] = (struct probe_event){reason, GetCurrentThreadId(), *probe_variable()};
}

static void NTAPI callback(PVOID module, DWORD reason, PVOID reserved)
{
    note(notes.callback, &notes.callback_count, reason);
}

__attribute__((section(".CRT$XLY"), used)) static const PIMAGE_TLS_CALLBACK callback_entry =
    callback;

BOOL WINAPI DllMain(HINSTANCE module, DWORD reason, LPVOID reserved)
{
    note(notes.main, &notes.main_count, reason);
    return TRUE;
}
