/* SPDX-License-Identifier: MIT
 *
 * inplace_trial.h - whether in-place switching was tried on this Windows, and what came of it.
 *
 * It rests on what ntdll does inside, which no document promises. So on a Windows it is used where
 * a trial (umsrun --try) has passed on this very system: its build and revision, our version, and
 * whoever has hooked ntdll before us are the trial's key. The verdicts are lines "passed KEY" and
 * "failed KEY" of a file in the user's own folder. Wine is what the tests run on.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_INPLACE_TRIAL_H
#define UMSSHIM_PLATFORM_WINDOWS_INPLACE_TRIAL_H

#include <stdbool.h>
#include <stddef.h>

enum inplace_trial { TRIAL_NONE, TRIAL_PASSED, TRIAL_FAILED };

enum inplace_trial inplace_trial_verdict(void);

/* Writes it down in the place of an earlier one. The text gets the file's name and the key; false:
 * the file cannot be written. */
bool inplace_trial_keep(bool passed, char *text, size_t room);

#endif
