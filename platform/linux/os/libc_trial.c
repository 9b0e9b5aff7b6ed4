/* SPDX-License-Identifier: MIT
 *
 * libc_trial.c - see libc_trial.h: the results of trials, and the trials that a test wants to fail.
 */
#include <stdlib.h>
#include <string.h>

#include "platform/linux/os/libc_trial.h"

struct libc_knowledge libc_knowledge;

bool trial_misled(const char *word)
{
    const char *names = secure_getenv("UMSSHIM_TEST_WRONG");
    size_t length = strlen(word);
    while (names && *names) {
        size_t here = strcspn(names, ",");
        if (here == length && memcmp(names, word, length) == 0)
            return true;
        names += here + (names[here] == ',');
    }
    return false;
}
