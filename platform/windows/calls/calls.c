/* SPDX-License-Identifier: MIT
 *
 * calls.c - see calls.h; the rows are in calls.def.
 */
#include "platform/windows/calls/calls.h"

/* Handlers are looked at as addresses here; their files have the types. */
#define CALL(stub, class, completion, place) extern char handler_##stub[] __asm__("call_" #stub);
#include "platform/windows/calls.def"
#undef CALL

struct call_row call_rows[] = {
#define CALL(stub, class, completion, place)                                                       \
    {CALL_##class,                                                                                 \
     CALL_##completion,                                                                            \
     CALL_##place,                                                                                 \
     {#stub, handler_##stub, &call_originals[CALL_##stub], 0, 0, 0, 0}},
#include "platform/windows/calls.def"
#undef CALL
};
const size_t call_row_count = CALL_COUNT;

int calls_install(bool identity)
{
    struct hook hooks[CALL_COUNT];
    size_t count = 0;
    for (size_t i = 0; i < CALL_COUNT; i++)
        if (identity || call_rows[i].class != CALL_IDENTITY)
            hooks[count++] = call_rows[i].hook;
    int refused = hooks_install(hooks, count);
    for (size_t i = CALL_COUNT; i-- > 0;)
        if (identity || call_rows[i].class != CALL_IDENTITY)
            call_rows[i].hook = hooks[--count];
    return refused;
}

void calls_remove(void)
{
    for (size_t i = 0; i < CALL_COUNT; i++)
        hooks_remove(&call_rows[i].hook, 1);
}
