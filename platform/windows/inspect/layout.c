/* SPDX-License-Identifier: MIT
 *
 * layout.c - where the engine's things are, for umsrun --why and debuggers (platform/layout.h). The rows are the
 * DLL's section "umsinfo".
 */
#include "platform/layout.h"
#include "platform/windows/engine.h"

LAYOUT_FIELD("plat", struct plat_context, scheduler, 8);
LAYOUT_FIELD("plat", struct plat_context, is_scheduler, 1);
LAYOUT_FIELD("plat", struct plat_context, thread_id, 4);
LAYOUT_FIELD("plat", struct plat_context, activations, 4);
LAYOUT_FIELD("plat", struct plat_context, reason, 1);
LAYOUT_FIELD("plat", struct plat_context, in_call, 8);
LAYOUT_FIELD("plat", struct plat_context, call_about, 8);
LAYOUT_FIELD("plat", struct plat_context, left_at, 4);
LAYOUT_FIELD("plat", struct plat_context, saved_sp, 8);
LAYOUT_FIELD("plat", struct plat_context, host, 8);
