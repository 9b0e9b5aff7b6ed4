/* SPDX-License-Identifier: MIT
 *
 * trace_start.c - a trace of this engine: the names of its calls, and the end of the process.
 */
#include "platform/layout.h"
#include "platform/linux/inspect/probes.h"
#include "platform/linux/inspect/trace_start.h"
#include "platform/linux/traps/calls.h"
#include "platform/trace/file.h"
#include "platform/trace/ring.h"
#include "platform/trace/trace.h"

static void tell_calls(void)
{
    for (unsigned i = 0; i < call_row_count; i++)
        trace_text(TRACE_CALL_NAME, NAME_OF_CALL, (uint32_t)call_rows[i].nr, call_rows[i].name);
    for (unsigned i = 0; layout_wait_name(i); i++)
        trace_text(TRACE_CALL_NAME, NAME_OF_ADDRESS_CALL, i, layout_wait_name(i));
}

void trace_begin(void)
{
    probes_begin();
    trace_open(tell_calls);
}

/* The process ends by exit. At any other end nothing of the library runs. */
static __attribute__((destructor)) void at_exit(void)
{
    trace_end(false);
}
