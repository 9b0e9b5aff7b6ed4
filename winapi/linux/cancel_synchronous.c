/* SPDX-License-Identifier: MIT
 *
 * cancel_synchronous.c - CancelSynchronousIo (interrupt/sync_call.h).
 */
#include "platform/linux/interrupt/sync_call.h"
#include "platform/linux/start.h"
#include "winapi/linux/surface.h"

BOOL WINAPI CancelSynchronousIo(HANDLE hThread)
{
    struct plat_thread *thread = win__thread(hThread);
    if (!thread)
        return FALSE;
    bool up = engine_start() == 0;
    plat_lock(&thread->binding);
    bool asked = up && !thread->ended && sync_call_cancel(thread);
    plat_unlock(&thread->binding);
    object_drop(&thread->object);
    return asked ? TRUE : win__fail(up ? ERROR_NOT_FOUND : ERROR_NOT_ENOUGH_MEMORY);
}
