/* SPDX-License-Identifier: MIT
 *
 * layout.c - where the core's data is, for debuggers (platform/layout.h).
 */
#include "platform/layout.h"
#include "umsshim/core.h"

LAYOUT_VARIABLE("contexts", ums__contexts);
LAYOUT_VARIABLE("lists", ums__lists);
LAYOUT_NUMBER("contexts.slot", UMS_CONTEXT_SLOT);
LAYOUT_NUMBER("lists.slot", sizeof(struct ums_list));
LAYOUT_FIELD("arena", struct ums_arena, base, 8);
LAYOUT_FIELD("arena", struct ums_arena, bytes, 8);
LAYOUT_FIELD("arena", struct ums_arena, used, 8);

LAYOUT_FIELD("context", struct ums_context, state, 4);
LAYOUT_FIELD("context", struct ums_context, stop, 4);
LAYOUT_INSIDE("context", struct ums_context, plat);
LAYOUT_FIELD("context", struct ums_context, list_next, 8);
LAYOUT_FIELD("context", struct ums_context, list, 8);

LAYOUT_FIELD("list", struct ums_list, head, 8);
LAYOUT_FIELD("list", struct ums_list, live, 4);
LAYOUT_FIELD("list", struct ums_list, event, 8);

LAYOUT_NUMBER("stop.suspends", UMS_SUSPENDS);
LAYOUT_NUMBER("stop.terminating", UMS_TERMINATING);

#define STATE(name) LAYOUT_NUMBER("state." #name, UMS_##name)
STATE(FREE);
STATE(EMPTY);
STATE(STARTING);
STATE(QUEUED);
STATE(READY);
STATE(RUNNING);
STATE(BLOCKED);
STATE(STOPPED);
STATE(EXITING);
STATE(TERM_QUEUED);
STATE(TERMINATED);
STATE(ZOMBIE);
STATE(SCHEDULER);
_Static_assert(UMS_STATES == UMS_SCHEDULER + 1, "a state is missing here");
