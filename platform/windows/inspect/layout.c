/* SPDX-License-Identifier: MIT
 *
 * layout.c - where the engine's data is, for umsrun --why and debuggers (platform/layout.h). The
 * rows are the DLL's section "umsinfo".
 */
#include "platform/layout.h"
#include "platform/windows/engine.h"
#include "platform/windows/switch/frames.h"

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

LAYOUT_FIELD("frame", struct saved_frame, xmm, 160);
LAYOUT_FIELD("frame", struct saved_frame, mxcsr, 4);
LAYOUT_FIELD("frame", struct saved_frame, r15, 8);
LAYOUT_FIELD("frame", struct saved_frame, r14, 8);
LAYOUT_FIELD("frame", struct saved_frame, r13, 8);
LAYOUT_FIELD("frame", struct saved_frame, r12, 8);
LAYOUT_FIELD("frame", struct saved_frame, rdi, 8);
LAYOUT_FIELD("frame", struct saved_frame, rsi, 8);
LAYOUT_FIELD("frame", struct saved_frame, rbx, 8);
LAYOUT_FIELD("frame", struct saved_frame, rbp, 8);
LAYOUT_FIELD("frame", struct saved_frame, return_to, 8);
LAYOUT_SIZE("frame", struct saved_frame);
