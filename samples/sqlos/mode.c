/* SPDX-License-Identifier: MIT
 *
 * mode.c - the modes by name, and the one that is meant where none is named.
 */
#include "mode.h"

#include <string.h>

static const SOS_MODE_CALLS *const s_modes[SOS_MODES] = {
    [SOS_MODE_UMS] = &g_modeUms,
    [SOS_MODE_THREADS] = &g_modeThreads,
    [SOS_MODE_FIBERS] = &g_modeFibers,
};

const char *SosModeName(SOS_MODE mode)
{
    return mode > SOS_MODE_DEFAULT && mode < SOS_MODES ? s_modes[mode]->name : "default";
}

BOOL SosModeNamed(const char *name, SOS_MODE *mode)
{
    int i;

    for (i = SOS_MODE_DEFAULT + 1; i < SOS_MODES; i++) {
        if (strcmp(name, s_modes[i]->name) == 0) {
            *mode = (SOS_MODE)i;
            return TRUE;
        }
    }
    return FALSE;
}

const SOS_MODE_CALLS *ModeCalls(SOS_MODE mode)
{
    char name[16];
    DWORD length;

    if (mode == SOS_MODE_DEFAULT) {
        mode = SOS_MODE_UMS;
        length = GetEnvironmentVariableA("SQLOS_MODE", name, sizeof(name));
        if (length && (length >= sizeof(name) || !SosModeNamed(name, &mode)))
            return NULL;
    }
    return mode > SOS_MODE_DEFAULT && mode < SOS_MODES ? s_modes[mode] : NULL;
}

SOS_MODE SosMode(VOID)
{
    SOS_MODE mode = SOS_MODE_DEFAULT;

    if (g_sos.schedulers)
        SosModeNamed(g_sos.mode->name, &mode);
    return mode;
}
