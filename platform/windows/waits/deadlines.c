/* SPDX-License-Identifier: MIT
 *
 * deadlines.c - a binary heap. Place 0 is unused: as a worker's place it means that the worker is
 * not in the heap.
 */
#include "platform/windows/waits/deadlines.h"

#include "platform/windows/waits/growing.h"

enum { MOST = 1 << 18, CHUNK = 8 << 10 }; /* most workers there can be; places added at a time */

static struct plat_context **heap;
static struct growing places = {.size = sizeof *heap, .most = MOST + CHUNK, .chunk = CHUNK};
static uint32_t count;
static bool served;

static bool make_room(void)
{
    bool room = growing_reaches(&places, count + 1);
    heap = places.start;
    return room;
}

static void put(uint32_t place, struct plat_context *worker)
{
    heap[place] = worker;
    worker->wait.place = place;
}

static void rise(uint32_t place, struct plat_context *worker)
{
    for (; place > 1 && worker->wait.deadline < heap[place / 2]->wait.deadline; place /= 2)
        put(place, heap[place / 2]);
    put(place, worker);
}

static void sink(uint32_t place, struct plat_context *worker)
{
    for (uint32_t child; (child = place * 2) <= count; place = child) {
        if (child < count && heap[child + 1]->wait.deadline < heap[child]->wait.deadline)
            child++;
        if (worker->wait.deadline <= heap[child]->wait.deadline)
            break;
        put(place, heap[child]);
    }
    put(place, worker);
}

void deadlines_are_served(void)
{
    served = true;
}

bool deadlines_insert(struct plat_context *worker)
{
    if (!served || !make_room())
        return false;
    rise(++count, worker);
    return true;
}

void deadlines_remove(struct plat_context *worker)
{
    uint32_t place = worker->wait.place;
    if (!place)
        return;
    worker->wait.place = 0;
    struct plat_context *last = heap[count--];
    if (last == worker)
        return;
    if (place > 1 && last->wait.deadline < heap[place / 2]->wait.deadline)
        rise(place, last);
    else
        sink(place, last);
}

struct plat_context *deadlines_first(void)
{
    return count ? heap[1] : NULL;
}
