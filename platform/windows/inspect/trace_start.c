/* SPDX-License-Identifier: MIT
 *
 * trace_start.c - see trace_start.h.
 */
#include "platform/windows/inspect/trace_start.h"

#include "platform/trace/file.h"
#include "platform/trace/ring.h"
#include "platform/windows/calls/calls.h"
#include "platform/windows/inspect/events.h"
#include "platform/windows/os/thread_map.h"
#include "platform/windows/switch/thread_name_trace.h"

static void tell_calls(void)
{
    for (size_t i = 0; i < call_row_count; i++)
        trace_text(TRACE_CALL_NAME, NAME_OF_CALL, (uint32_t)i, call_rows[i].hook.name);
    trace_text(TRACE_CALL_NAME, NAME_OF_CALL, CALL_COUNT, "another call");
}

void trace_begin(void)
{
    events_register();
    trace_open(tell_calls);
    trace_start();
}

static bool tell_name(struct plat_context *context, void *unused)
{
    (void)unused;
    thread_name_trace(context);
    return false;
}

void trace_process_ends(void)
{
    if (trace_recording())
        thread_map_any(tell_name, NULL);
    trace_end(true);
}
