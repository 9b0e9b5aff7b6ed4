/* SPDX-License-Identifier: MIT
 *
 * probes.c - user-space probes (USDT) for perf, bpftrace, gdb and SystemTap: all but those of a
 * switch (os/switch_probes.h). docs/debugging.md lists their names and arguments; a test holds the
 * two together.
 *
 * All probes share one semaphore, the first two bytes of trace_state. A tracer counts itself in
 * there for as long as it listens to one of them. So one test, trace_on, tells whether a trace file
 * or a tracer wants events. If no tracer listens nothing of this runs, so an argument may take a
 * moment to find, like the name of a call.
 *
 * The file is built without link-time optimization, which does not see that the probes' notes name
 * symbols.
 */
#ifdef UMSSHIM_PROBES
#include <stdint.h>

/* <sys/sdt.h> names each probe's semaphore after the probe. All probes share one, trace_state. */
#define umsshim_wait_call_semaphore trace_state
#define umsshim_wait_object_semaphore trace_state
#define umsshim_wait_address_semaphore trace_state
#define umsshim_wait_time_semaphore trace_state
#define umsshim_block_semaphore trace_state
#define umsshim_complete_semaphore trace_state
#define umsshim_birth_semaphore trace_state
#define umsshim_end_semaphore trace_state
#define umsshim_enter_semaphore trace_state
#define umsshim_left_semaphore trace_state
#define umsshim_load_semaphore trace_state
#define umsshim_sleep_semaphore trace_state
#define umsshim_wake_semaphore trace_state
#define umsshim_arrive_semaphore trace_state
#define umsshim_dequeue_semaphore trace_state
#define umsshim_lane_semaphore trace_state
#define umsshim_name_semaphore trace_state
/* Inline functions of plat_types.h name these two, and nothing here calls those functions: so no
 * definition is needed. */
extern uint16_t umsshim_execute_semaphore, umsshim_leave_semaphore;
#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>
#endif

#include "platform/layout.h"
#include "platform/linux/inspect/probes.h"
#include "platform/linux/traps/calls.h"
#include "platform/trace/trace.h"

#ifdef UMSSHIM_PROBES
static const char *call_name(uint32_t number)
{
    const struct call_row *call = trapped_call_find((int)number);
    return call ? call->name : "";
}

static const char *address_call_name(uint32_t index)
{
    const char *name = layout_wait_name(index);
    return name ? name : "";
}

static const char *object_name(uint32_t type)
{
    static const char *const names[] = {"event", "event",  "semaphore", "mutex", "timer",
                                        "timer", "thread", "process",   "file",  "port"};
    return type < sizeof names / sizeof *names ? names[type] : "";
}

/* Passes an event on to its probe. Execute and leave are not among them: the code that switches has
 * their probes itself (os/switch_probes.h). */
static void told(enum trace_kind kind, uint32_t scheduler, uint32_t who, uint64_t value,
                 uint32_t extra, uint32_t more)
{
    int64_t processor = (int64_t)value - 1;
    switch (kind) {
    case TRACE_WAIT_CALL:
        STAP_PROBE5(umsshim, wait_call, who, scheduler, call_name(extra), extra, value);
        break;
    case TRACE_WAIT_OBJECT:
        STAP_PROBE5(umsshim, wait_object, who, scheduler, object_name(extra), value, more);
        break;
    case TRACE_WAIT_ADDRESS:
        STAP_PROBE4(umsshim, wait_address, who, scheduler, address_call_name(extra), value);
        break;
    case TRACE_WAIT_TIME:
        STAP_PROBE2(umsshim, wait_time, who, scheduler);
        break;
    case TRACE_BLOCK:
        STAP_PROBE4(umsshim, block, who, call_name(extra), extra, value);
        break;
    case TRACE_COMPLETE:
        STAP_PROBE1(umsshim, complete, who);
        break;
    case TRACE_BIRTH:
        STAP_PROBE2(umsshim, birth, who, extra);
        break;
    case TRACE_END:
        STAP_PROBE2(umsshim, end, who, scheduler);
        break;
    case TRACE_ENTER:
        STAP_PROBE3(umsshim, enter, who, extra, processor);
        break;
    case TRACE_LEFT:
        STAP_PROBE1(umsshim, left, who);
        break;
    case TRACE_LOAD:
        STAP_PROBE2(umsshim, load, who, extra);
        break;
    case TRACE_SLEEP:
        STAP_PROBE1(umsshim, sleep, who);
        break;
    case TRACE_WAKE:
        STAP_PROBE1(umsshim, wake, who);
        break;
    case TRACE_ARRIVE:
        STAP_PROBE2(umsshim, arrive, who, value);
        break;
    case TRACE_DEQUEUE:
        STAP_PROBE3(umsshim, dequeue, who, value, extra);
        break;
    case TRACE_LANE:
        STAP_PROBE3(umsshim, lane, who, processor, extra);
        break;
    default:
        break;
    }
}

static void told_name(uint32_t who, const char *name)
{
    STAP_PROBE2(umsshim, name, who, name);
}
void probes_begin(void)
{
    trace_listener = (struct trace_listener){told, told_name};
}
#else
/* No tracer can listen. */
void probes_begin(void)
{
}
#endif
