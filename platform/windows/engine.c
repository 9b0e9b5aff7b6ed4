/* SPDX-License-Identifier: MIT
 *
 * engine.c - see engine.h.
 */
#include "platform/windows/engine.h"

const struct plat_core *engine_core;
uint32_t engine_slot = UINT32_MAX;
uint32_t engine_exit_slot;
_Atomic bool engine_over;
bool engine_in_place;
bool engine_detects;
bool engine_many_processors;

bool engine_set_current(struct plat_context *context)
{
    DWORD error = GetLastError();
    bool ok = TlsSetValue(engine_slot, context);
    SetLastError(error);
    return ok;
}
