/* SPDX-License-Identifier: MIT
 *
 * thread_name_trace.h - puts names by SetThreadDescription into a trace. The system keeps the
 * names, so the engine asks for them at the end of a thread, or of the process.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_SWITCH_THREAD_NAME_TRACE_H
#define UMSSHIM_PLATFORM_WINDOWS_SWITCH_THREAD_NAME_TRACE_H

#include "platform/trace/trace.h"
#include "platform/windows/os/thread_name.h"

static inline void thread_name_trace(struct plat_context *context)
{
    char name[64];
    if (thread_name_of(context->thread_id, name, sizeof name))
        trace_name(context, name);
}

#endif
