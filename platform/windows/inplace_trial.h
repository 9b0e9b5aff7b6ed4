/* SPDX-License-Identifier: MIT
 *
 * inplace_trial.h - whether in-place switching was tried on this Windows, and the verdict.
 *
 * In-place switching relies on how ntdll works inside, which no document promises. So on Windows
 * the engine uses it only if a trial (umsrun --try) has passed on this very system. The trial's key
 * is the system's build and revision, the version of umsshim, and the modules that have hooked
 * ntdll before. The verdicts are lines "passed KEY" and "failed KEY" of a file in the user's own
 * folder. Under Wine no trial is needed: the tests run there.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_INPLACE_TRIAL_H
#define UMSSHIM_PLATFORM_WINDOWS_INPLACE_TRIAL_H

#include <stdbool.h>
#include <stddef.h>

enum inplace_trial { TRIAL_NONE, TRIAL_PASSED, TRIAL_FAILED };

enum inplace_trial inplace_trial_verdict(void);

/* Writes the verdict into the file, in the place of an earlier one. `text` gets the file's name and
 * the key. False: the file cannot be written. */
bool inplace_trial_keep(bool passed, char *text, size_t room);

#endif
