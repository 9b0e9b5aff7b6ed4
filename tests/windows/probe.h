/* SPDX-License-Identifier: MIT
 *
 * probe.h - a DLL that notes what the loader tells it, thread by thread, and has thread-local
 * variables in its PE file's TLS section: what it and its tests share.
 */
#ifndef UMSSHIM_TESTS_WINDOWS_PROBE_H
#define UMSSHIM_TESTS_WINDOWS_PROBE_H

#include <windows.h>

enum { PROBE_INITIAL = 31415, PROBE_EVENTS = 4096 };

/* One call of DllMain or of the TLS callback. */
struct probe_event {
    DWORD reason; /* DLL_THREAD_ATTACH, ... */
    DWORD thread;
    LONG value; /* of the variable below, then */
};

struct probe {
    struct probe_event main[PROBE_EVENTS];
    int main_count; /* atomic; more may have come than were kept */
    struct probe_event callback[PROBE_EVENTS];
    int callback_count;
};

/* Exported by the DLL: its notes, and the address of the calling thread's variable. */
typedef struct probe *(*probe_notes_function)(void);
typedef volatile LONG *(*probe_variable_function)(void);

#endif
