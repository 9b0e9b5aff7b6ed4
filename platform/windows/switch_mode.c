/* SPDX-License-Identifier: MIT
 *
 * switch_mode.c - which way of switching this process gets: in place if the process has all that
 * this needs, else pinned, which needs nothing. By default, but for Wine, in-place switching must
 * also have passed a trial on this very system.
 */
#include "platform/windows/switch_mode.h"

#include <stdio.h>
#include <string.h>

#include "platform/windows/calls/runtime_pin.h"
#include "platform/windows/engine.h"
#include "platform/windows/hook_effect.h"
#include "platform/windows/inplace_trial.h"
#include "platform/windows/os/ntapi.h"
#include "platform/windows/os/ntdll_frames.h"
#include "platform/windows/os/system_version.h"
#include "platform/windows/switch/interrupted.h"
#include "platform/windows/switch/teb_access.h"
#include "platform/windows/waits/alert.h"

enum wish { AUTO, TRIED, IN_PLACE, PINNED };

static enum wish wish;
static char text[160] = "not chosen yet";

static bool policy(PROCESS_MITIGATION_POLICY which, DWORD bit)
{
    DWORD flags = 0;
    return GetProcessMitigationPolicy(GetCurrentProcess(), which, &flags, sizeof flags) &&
           flags & bit;
}

/* Whether the thread has a shadow stack, whatever the process's policy says. Without one the
 * instruction leaves `pointer` 0. */
static bool shadow_stack(void)
{
    uint64_t pointer = 0;
    __asm__ volatile("rdsspq %0" : "+r"(pointer));
    return pointer != 0;
}

bool switch_mode_may_be_in_place(void)
{
    char value[16] = "";
    DWORD length = GetEnvironmentVariableA("UMSSHIM_SWITCH", value, sizeof value);
    wish = strcmp(value, "inplace") == 0  ? IN_PLACE
           : strcmp(value, "pinned") == 0 ? PINNED
           : strcmp(value, "tried") == 0  ? TRIED
                                          : AUTO;
    if (wish == AUTO && length && strcmp(value, "auto") != 0)
        plat_log("UMSSHIM_SWITCH is none of auto, inplace, pinned, tried: taken as auto");
    return wish != PINNED;
}

/* Why in-place switching has not passed its trial, or NULL. Wine needs none: the tests run
 * there. */
static const char *not_tried(void)
{
    if (wish == IN_PLACE || (wish == AUTO && ntapi_is_wine()))
        return NULL;
    switch (inplace_trial_verdict()) {
    case TRIAL_PASSED:
        return NULL;
    case TRIAL_FAILED:
        return "in place did not pass its trial on this Windows";
    default:
        return "in place has not been tried on this Windows: umsrun --try";
    }
}

/* Why the process cannot switch in place, or NULL. *odd: the reason is no setting, but an
 * unexpected property of this system. */
static const char *why_not(const char *lacking, char *room, size_t size, bool *odd)
{
    enum { SHADOW_STACKS = 15, DYNAMIC_CODE = 2 };
    if (wish == PINNED)
        return "UMSSHIM_SWITCH=pinned";
    if (policy((PROCESS_MITIGATION_POLICY)SHADOW_STACKS, 1) || shadow_stack())
        return "user shadow stacks are on";
    if (policy((PROCESS_MITIGATION_POLICY)DYNAMIC_CODE, 1))
        return "dynamic code is prohibited";
    if (!engine_detects)
        return "UMSSHIM_DETECT=0";
    if (lacking) {
        snprintf(room, size, "%s could not be hooked", lacking);
        return room;
    }
    if (!interrupt_possible())
        return "the processor cannot save its registers (XSAVE)";
    if (!alert_ours)
        return "ntdll has no alerts by thread id, or they could not be hooked";

    *odd = true;
    if (system_emulates_x64())
        return "x64 is emulated here on an Arm processor";
    const char *wrong = hook_effect_missing();
    if (wrong) {
        snprintf(room, size, "calls of %s do not arrive at the hooks", wrong);
        return room;
    }
    ntdll_frames_resolve();
    wrong = teb_check();
    if (wrong) {
        snprintf(room, size, "the TEB is not as expected: %s", wrong);
        return room;
    }
    *odd = false;
    return not_tried();
}

void switch_mode_choose(const char *lacking)
{
    char room[80];
    bool odd = false;
    const char *because = why_not(lacking, room, sizeof room, &odd);
    engine_in_place = !because;
    snprintf(text, sizeof text, because ? "pinned (%s)" : "in place", because);
    if (because && (odd || wish == IN_PLACE))
        plat_log("switching pinned, not in place: %s", because);
}

int switch_mode_describe(char *room, size_t size)
{
    const char *runtime = runtime_pin_module();
    return snprintf(room, size,
                    runtime ? "switching: pinned (%s is here, for .NET)\n" : "switching: %s\n",
                    runtime ? runtime : text);
}
