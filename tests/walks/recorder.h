/* SPDX-License-Identifier: MIT
 *
 * recorder.h - the functions that one thread enters and leaves between walk_arm and walk_disarm.
 */
#ifndef UMSSHIM_TESTS_WALKS_RECORDER_H
#define UMSSHIM_TESTS_WALKS_RECORDER_H

enum { WALK_MAX = 4096 };

struct walk_record {
    void *function;
    void *call_site; /* NULL: it was left */
};

#ifdef _WIN32
__declspec(dllexport)
#endif
    void walk_arm(void);
/* How many there are, the first of them. */
#ifdef _WIN32
__declspec(dllexport)
#endif
    unsigned walk_disarm(const struct walk_record **first);

void __cyg_profile_func_enter(void *function, void *call_site);
void __cyg_profile_func_exit(void *function, void *call_site);

#endif
