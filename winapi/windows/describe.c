/* SPDX-License-Identifier: MIT
 *
 * describe.c - describes in words the hooks in this process, for umsrun --check.
 */
#include <stdio.h>

#include "platform/windows/calls/calls.h"
#include "platform/windows/calls/wait_hooks.h"
#include "platform/windows/calls/window_calls.h"
#include "platform/windows/hook_effect.h"
#include "platform/windows/inplace_trial.h"
#include "platform/windows/switch_mode.h"
#include "winapi/windows/names.h"
#include "winapi/windows/surface.h"
#include "winapi/windows/thread_control.h"

static const char *class_text(enum call_class class)
{
    static const char *const text[] = {"wait", "alert",   "delay",   "port",
                                       "file", "message", "identity"};
    return text[class];
}

static const char *completion_text(enum call_completion completion)
{
    static const char *const text[] = {"own thread", "user wait", "at once"};
    return text[completion];
}

static const char *place_text(enum call_place place)
{
    static const char *const text[] = {"here", "home", "asked"};
    return text[place];
}

int umsshim_tried(int passed, char *text, size_t room)
{
    return ums__init() == 0 && inplace_trial_keep(passed, text, room);
}

int umsshim_alert_arrives(void (*wake)(void *arg), void *arg)
{
    return ums__init() == 0 && hook_effect_of_alerts(wake, arg);
}

int umsshim_describe(char *text, size_t room)
{
    int error = ums__init();
    int n =
        snprintf(text, room, "UMS: %s\n", error ? "off (UMSSHIM_DISABLE), or impossible" : "on");
    if (n < (int)room)
        n += switch_mode_describe(text + n, room - (size_t)n);
    if (n < (int)room)
        n += names_describe(text + n, room - (size_t)n);
    for (size_t i = 0; i < call_row_count && n < (int)room; i++)
        n += snprintf(text + n, room - (size_t)n, "hook %s (%s, %s, %s): %s\n",
                      call_rows[i].hook.name, class_text(call_rows[i].class),
                      completion_text(call_rows[i].completion), place_text(call_rows[i].place),
                      hook_text(&call_rows[i].hook));
    for (size_t i = 0; i < wait_hook_count && n < (int)room; i++)
        n += snprintf(text + n, room - (size_t)n, "hook %s (signals): %s\n", wait_hooks[i].name,
                      hook_text(&wait_hooks[i]));
    for (size_t i = 0; i < thread_control_hook_count && n < (int)room; i++)
        n += snprintf(text + n, room - (size_t)n, "hook %s (threads): %s\n",
                      thread_control_hooks[i].name, hook_text(&thread_control_hooks[i]));
    if (!error && n < (int)room)
        n += window_calls_describe(text + n, room - (size_t)n);
    return n < (int)room;
}
