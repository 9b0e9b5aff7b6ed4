/* SPDX-License-Identifier: MIT
 *
 * event.c - the events of completion lists: the seam's plat_event_*.
 *
 * A thread pushes a worker to a list and then sets the list's event. After the push the list may be
 * gone at any moment, and its event be another list's. A reference counted for each push would cost
 * two locked instructions. Instead the memory of such an event stays an event's for good
 * (`stable`), and each event has a number that none had before (`life`). The thread reads the
 * number before the push, and list_event_signal compares it under the event's lock.
 */
#include "platform/linux/dispatch/handle.h"
#include "platform/linux/dispatch/object_signal.h"
#include "platform/linux/dispatch/wait.h"

int plat_event_create(struct plat_event **result, uint64_t *life)
{
    struct list_event *event = object_list_event();
    *result = (struct plat_event *)event;
    *life = event ? event->life : 0;
    return event ? 0 : 8;
}

void plat_event_release(struct plat_event *event)
{
    object_drop((struct object *)event);
}

/* To set an event that is set already takes no lock. A thread that takes the signal passes a fence
 * (event_taken), then reads the list. The caller pushed to the list by a locked instruction, then
 * reads the signal. So one of the two sees what the other did. */
void plat_event_set(struct plat_event *event, uint64_t life)
{
    struct list_event *list_event = (struct list_event *)event;
    if (__atomic_load_n(&list_event->object.signal, __ATOMIC_SEQ_CST) <= 0)
        list_event_signal(list_event, life);
}

bool plat_event_wait(struct plat_event *event, uint64_t deadline)
{
    return wait_for_object((struct object *)event, deadline) == 0;
}

int plat_event_handle(struct plat_event *event, void **handle)
{
    return handle_create((struct object *)event, handle);
}
