/* SPDX-License-Identifier: MIT
 *
 * events.c - see events.h: TraceLogging events of provider "umsshim". docs/debugging.md lists them.
 *
 * Such an event describes itself, so a reader needs no manifest. Beside its values it has a
 * description: the length of it all (2 bytes), its tags (1 byte: none), its name with a NUL, and
 * for each field the name with a NUL and the type. The provider has one, too: its length, and its
 * name with a NUL. Both go along with each event, as data of types of their own. The provider's
 * GUID is made from its name, in the way that tools do it that know only the name.
 *
 * The system calls enabled() when a session begins or ceases to want events, and at once when the
 * provider is registered while a session wants them. Until then nothing of this runs (trace_on).
 * The functions of the system are looked up; without them there are no events.
 */
#include "platform/windows/inspect/events.h"

#include <string.h>

#include <windows.h>
#include <evntprov.h>

#include "platform/trace/trace.h"
#include "platform/windows/calls/calls.h"
#include "platform/windows/os/system_images.h"

enum { CHANNEL_TRACELOGGING = 11, SET_TRAITS = 2 };
enum { DATA_EVENT = 1, DATA_PROVIDER = 2 }; /* EVENT_DATA_DESCRIPTOR's types of descriptions */
enum { LEVEL_INFORMATION = 4, LEVEL_VERBOSE = 5 };
enum { SWITCHES = 1, WAITS = 2, LISTS = 4, LIVES = 8 }; /* keywords */
enum { MOST_FIELDS = 4, DESCRIPTION_BYTES = 96 };

/* A field's type, as it stands in the description: how the value is encoded. With bit 7 a second
 * byte follows, on how it is shown. */
enum field_type { U32 = 8, ADDRESS = 21, TEXT = 2 };
enum { AND_SHOWN_AS = 0x80, SHOWN_AS_UTF8 = 35 };

static const GUID provider = {
    0x6dc4b4c7, 0xb615, 0x5b6b, {0xed, 0xe4, 0x66, 0x69, 0x94, 0xe9, 0x23, 0x08}};
static const char traits[] = "\x0a\x00umsshim"; /* the NUL is the literal's */
_Static_assert(sizeof traits == 10, "the first two bytes say so");

static const struct event {
    const char *name;
    uint8_t level, keyword;
    struct {
        const char *name;
        enum field_type type;
    } fields[MOST_FIELDS];
} events[] = {
    [TRACE_EXECUTE] = {"execute",
                       LEVEL_VERBOSE,
                       SWITCHES,
                       {{"worker", U32}, {"scheduler", U32}, {"reason", U32}}},
    [TRACE_LEAVE] = {"leave", LEVEL_VERBOSE, SWITCHES, {{"worker", U32}, {"scheduler", U32}}},
    [TRACE_WAIT_CALL] = {"wait_call",
                         LEVEL_INFORMATION,
                         WAITS,
                         {{"worker", U32}, {"scheduler", U32}, {"name", TEXT}, {"about", ADDRESS}}},
    [TRACE_BLOCK] = {"block",
                     LEVEL_INFORMATION,
                     WAITS,
                     {{"worker", U32}, {"name", TEXT}, {"about", ADDRESS}}},
    [TRACE_COMPLETE] = {"complete", LEVEL_INFORMATION, WAITS, {{"worker", U32}}},
    [TRACE_BIRTH] = {"birth", LEVEL_INFORMATION, LIVES, {{"worker", U32}, {"thread", U32}}},
    [TRACE_END] = {"end", LEVEL_INFORMATION, LIVES, {{"worker", U32}, {"scheduler", U32}}},
    [TRACE_ENTER] = {"enter", LEVEL_INFORMATION, LIVES, {{"scheduler", U32}, {"thread", U32}}},
    [TRACE_LEFT] = {"left", LEVEL_INFORMATION, LIVES, {{"scheduler", U32}}},
    [TRACE_SLEEP] = {"sleep", LEVEL_INFORMATION, WAITS, {{"scheduler", U32}}},
    [TRACE_WAKE] = {"wake", LEVEL_INFORMATION, WAITS, {{"scheduler", U32}}},
    [TRACE_NAME] = {"name", LEVEL_INFORMATION, LIVES, {{"of", U32}, {"name", TEXT}}},
    [TRACE_ARRIVE] = {"arrive", LEVEL_INFORMATION, LISTS, {{"worker", U32}, {"list", U32}}},
    [TRACE_DEQUEUE] = {"dequeue",
                       LEVEL_INFORMATION,
                       LISTS,
                       {{"worker", U32}, {"list", U32}, {"scheduler", U32}}},
};
enum { KINDS = sizeof events / sizeof *events };

/* Made before the provider is registered; only read from then on. */
static uint8_t descriptions[KINDS][DESCRIPTION_BYTES];
static uint16_t description_bytes[KINDS];

static ULONG(WINAPI *write_event)(REGHANDLE, const EVENT_DESCRIPTOR *, const GUID *, const GUID *,
                                  ULONG, EVENT_DATA_DESCRIPTOR *);
static ULONG(WINAPI *unregister)(REGHANDLE);
static REGHANDLE registered;

/* ---- Descriptions ---------------------------------------------------------------------------- */

static uint8_t *put_text(uint8_t *at, const char *text)
{
    size_t bytes = strlen(text) + 1;
    memcpy(at, text, bytes);
    return at + bytes;
}

static void describe(unsigned kind)
{
    const struct event *event = &events[kind];
    uint8_t *begin = descriptions[kind], *at = begin + sizeof(uint16_t);
    if (!event->name)
        return;
    *at++ = 0; /* no tags */
    at = put_text(at, event->name);
    for (unsigned i = 0; i < MOST_FIELDS && event->fields[i].name; i++) {
        at = put_text(at, event->fields[i].name);
        if (event->fields[i].type == TEXT) {
            *at++ = TEXT | AND_SHOWN_AS;
            *at++ = SHOWN_AS_UTF8;
        } else {
            *at++ = (uint8_t)event->fields[i].type;
        }
    }
    description_bytes[kind] = (uint16_t)(at - begin);
    memcpy(begin, &description_bytes[kind], sizeof(uint16_t));
}

/* ---- Writing --------------------------------------------------------------------------------- */

static EVENT_DATA_DESCRIPTOR data(const void *at, size_t bytes, ULONG type)
{
    return (EVENT_DATA_DESCRIPTOR){(uintptr_t)at, (ULONG)bytes, type};
}

/* `values` has one for each field; a text is a pointer. */
static void write_values(enum trace_kind kind, const uint64_t *values)
{
    const struct event *event = &events[kind];
    EVENT_DESCRIPTOR descriptor = {
        .Channel = CHANNEL_TRACELOGGING, .Level = event->level, .Keyword = event->keyword};
    EVENT_DATA_DESCRIPTOR all[2 + MOST_FIELDS];
    ULONG count = 2;
    all[0] = data(traits, sizeof traits, DATA_PROVIDER);
    all[1] = data(descriptions[kind], description_bytes[kind], DATA_EVENT);
    for (unsigned i = 0; i < MOST_FIELDS && event->fields[i].name; i++) {
        const char *text = (const char *)(uintptr_t)values[i];
        switch (event->fields[i].type) {
        case TEXT:
            all[count++] = data(text, strlen(text) + 1, 0);
            break;
        case ADDRESS:
            all[count++] = data(&values[i], sizeof(uint64_t), 0);
            break;
        case U32:
            all[count++] = data(&values[i], sizeof(uint32_t), 0);
        }
    }
    uint32_t error = plat_last_error();
    write_event(registered, &descriptor, NULL, NULL, count, all);
    plat_set_last_error(error);
}

static uint64_t name_of_call(uint32_t number)
{
    return (uintptr_t)(number < call_row_count ? call_rows[number].hook.name : "another call");
}

static void told(enum trace_kind kind, uint32_t scheduler, uint32_t who, uint64_t value,
                 uint32_t extra, uint32_t more)
{
    if ((unsigned)kind >= KINDS || !events[kind].name)
        return;
    switch (kind) {
    case TRACE_EXECUTE:
        write_values(kind, (const uint64_t[MOST_FIELDS]){who, scheduler, more});
        break;
    case TRACE_LEAVE:
    case TRACE_END:
        write_values(kind, (const uint64_t[MOST_FIELDS]){who, scheduler});
        break;
    case TRACE_WAIT_CALL:
        write_values(kind,
                     (const uint64_t[MOST_FIELDS]){who, scheduler, name_of_call(extra), value});
        break;
    case TRACE_BLOCK:
        write_values(kind, (const uint64_t[MOST_FIELDS]){who, name_of_call(extra), value});
        break;
    case TRACE_ARRIVE:
    case TRACE_DEQUEUE:
        write_values(kind, (const uint64_t[MOST_FIELDS]){who, value, extra});
        break;
    default:
        write_values(kind, (const uint64_t[MOST_FIELDS]){who, extra});
        break;
    }
}

static void told_name(uint32_t who, const char *name)
{
    write_values(TRACE_NAME, (const uint64_t[MOST_FIELDS]){who, (uintptr_t)name});
}

/* ---- Life ------------------------------------------------------------------------------------ */

enum { DISABLED = 0, ENABLED = 1 }; /* other values ask for a dump of state; there is none */

/* On any thread. `what` is for all sessions together: it is DISABLED when the last one has gone. */
static void CALLBACK enabled(const GUID *source, ULONG what, UCHAR level, ULONGLONG any,
                             ULONGLONG all, EVENT_FILTER_DESCRIPTOR *filter, void *context)
{
    (void)source, (void)level, (void)any, (void)all, (void)filter, (void)context;
    if (what == DISABLED || what == ENABLED)
        atomic_store_explicit(&trace_state.listeners, (uint16_t)what, memory_order_release);
}

void events_register(void)
{
    HMODULE module = system_images.kernelbase;
    ULONG(WINAPI * enroll)
    (const GUID *, PENABLECALLBACK, void *, REGHANDLE *) = system_function(module, "EventRegister");
    ULONG(WINAPI * inform)
    (REGHANDLE, int, void *, ULONG) = system_function(module, "EventSetInformation");
    write_event = system_function(module, "EventWriteTransfer");
    unregister = system_function(module, "EventUnregister");
    if (!enroll || !write_event || !unregister)
        return;
    for (unsigned kind = 0; kind < KINDS; kind++)
        describe(kind);
    trace_listener = (struct trace_listener){told, told_name};
    REGHANDLE handle = 0;
    if (enroll(&provider, enabled, NULL, &handle))
        return;
    registered = handle;
    if (inform) /* tells sessions the provider's name; without this readers take it from each
                 * event */
        inform(handle, SET_TRAITS, (void *)traits, sizeof traits);
}

void events_unregister(void)
{
    if (registered)
        unregister(registered);
    registered = 0;
    atomic_store_explicit(&trace_state.listeners, 0, memory_order_relaxed);
}
