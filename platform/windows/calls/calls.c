/* SPDX-License-Identifier: MIT
 *
 * calls.c - see calls.h; the rows are in calls.def.
 */
#include "platform/windows/calls/calls.h"

#include "platform/windows/os/ntapi.h"

/* Here handlers are only addresses; the files that define them have their types. */
#define CALL(stub, class, completion, place, without)                                              \
    extern char handler_##stub[] __asm__("call_" #stub);
#include "platform/windows/calls.def"
#undef CALL

struct call_row call_rows[] = {
#define CALL(stub, class, completion, place, without)                                              \
    {CALL_##class,                                                                                 \
     CALL_##completion,                                                                            \
     CALL_##place,                                                                                 \
     CALL_##without,                                                                               \
     {#stub, handler_##stub, &call_originals[CALL_##stub], 0, 0, 0, 0, 0}},
#include "platform/windows/calls.def"
#undef CALL
};
const size_t call_row_count = CALL_COUNT;

/* Only Wine's loader, which walks through TEBs in user mode, asks which thread maps a module. On
 * Windows the stub stays as it is: security products watch it. */
static bool is_wanted(size_t call, bool identity)
{
    if (call == CALL_NtMapViewOfSection && !ntapi_is_wine())
        return false;
    return identity || call_rows[call].class != CALL_IDENTITY;
}

int calls_install(bool identity)
{
    struct hook hooks[CALL_COUNT];
    size_t count = 0;
    for (size_t i = 0; i < CALL_COUNT; i++)
        if (is_wanted(i, identity))
            hooks[count++] = call_rows[i].hook;
    int refused = hooks_install(hooks, count);
    for (size_t i = CALL_COUNT; i-- > 0;)
        if (is_wanted(i, identity))
            call_rows[i].hook = hooks[--count];
    return refused;
}

const char *calls_lacking(void)
{
    for (size_t i = 0; i < CALL_COUNT; i++)
        if (call_rows[i].without == CALL_NEEDED && hook_is_refused(&call_rows[i].hook))
            return call_rows[i].hook.name;
    return NULL;
}

void calls_remove(void)
{
    for (size_t i = 0; i < CALL_COUNT; i++)
        hooks_remove(&call_rows[i].hook, 1);
}
