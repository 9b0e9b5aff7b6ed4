/* SPDX-License-Identifier: MIT
 *
 * kept_number.c - see kept_number.h.
 *
 * A wait holds its file by a duplicate of the descriptor (watched.c). To put the duplicate into the
 * epoll set and to take it out again costs more than all else that a wait does. So a number for
 * which calls have waited twice gets a place of its own in the set: the program's number, not a
 * duplicate, so the place keeps no file open. The kernel knows the place by file and number, and
 * forgets it when the file is closed for the last time. A wait for a number that has a place arms
 * the place, and its duplicate only keeps the file open.
 *
 * A place may be wrong in these ways, and does no harm
 *   the number is another file's    arming the place fails: the kernel has no place for that file
 *   that file had the number        the duplicate's device and inode are not those that the place
 *   before, and has a place, too    notes: the wait is armed by its duplicate
 *   the number changes hands while  the place stays the old file's as long as the duplicate is open
 *   the call waits
 *   the place has an event that     the call that waits there is attempted, finds nothing, and is
 *   is for no call                  armed by its duplicate: the number may be another file's
 *   a child process has the file    the place stays, and tells once more at most
 * A wait makes its duplicate first and arms the place then, by the number. So a place is taken for
 * that of another file only if the number changes hands twice between these two system calls, and
 * has had a place for both files. That holds for two openings of one FIFO, too, which have one
 * inode.
 *
 * A place serves one call, `front`, which reads. That call is attempted when the place tells.
 */
#include "platform/linux/calls/kept_number.h"

#include <errno.h>
#include <sys/epoll.h>

#include "platform/linux/calls/call_ops.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/switch/lane_parts.h"

enum { WAITS_BEFORE = 2 };

static struct kept_number *place_of(struct lane *lane, const struct call *call)
{
    return &lane->readiness.kept[(unsigned)call->watch.given_fd % KEPT_NUMBERS];
}

static bool is_of_number(const struct kept_number *kept, const struct call *call)
{
    return kept->number == call->watch.given_fd + 1;
}

static long set_place(struct lane *lane, const struct kept_number *kept, int operation,
                      uint32_t events)
{
    struct epoll_event event = {.events = events | EPOLLONESHOT,
                                .data.u64 = (uint64_t)(kept - lane->readiness.kept) << 1 | 1};
    return RAW4(SYS_epoll_ctl, lane->epoll, operation, kept->number - 1, &event);
}

static void set_number(struct kept_number *kept, int number)
{
    __atomic_store_n(&kept->number, number, __ATOMIC_RELAXED); /* kept_likely takes no lock */
}

struct kept_number *kept_place(struct lane *lane, const struct call *call)
{
    struct kept_number *kept = place_of(lane, call);
    bool usable = kept->placed && !kept->front && is_of_number(kept, call) &&
                  !lane->readiness.unwatched && call->watch.events == EPOLLIN;
    return usable ? kept : NULL;
}

bool kept_arm(struct lane *lane, const struct kept_number *kept)
{
    return set_place(lane, kept, EPOLL_CTL_MOD, EPOLLIN) == 0;
}

bool kept_is_of(const struct kept_number *kept, const struct stat *file)
{
    return kept->file[0] == file->st_dev && kept->file[1] == file->st_ino;
}

void kept_take(struct kept_number *kept, struct call *call)
{
    kept->front = call;
}

/* From here on the place's events serve no call. */
void kept_drop(struct kept_number *kept)
{
    set_number(kept, 0);
    kept->placed = false;
}

void kept_note(struct lane *lane, const struct call *call)
{
    struct kept_number *kept = place_of(lane, call);
    if (kept->front || !call->watch.known || call->watch.events != EPOLLIN)
        return;
    if (!is_of_number(kept, call)) {
        set_number(kept, call->watch.given_fd + 1);
        kept->placed = false;
        kept->waits = 0;
    }
    kept->waits++;
}

void kept_leave(struct lane *lane, const struct call *call)
{
    struct kept_number *kept = place_of(lane, call);
    if (kept->front == call)
        kept->front = NULL;
}

void kept_offer(struct lane *lane, const struct call *call)
{
    struct kept_number *kept = place_of(lane, call);
    if (kept->placed || kept->front || kept->waits < WAITS_BEFORE || !is_of_number(kept, call) ||
        !call->watch.known || call->watch.events != EPOLLIN || lane->readiness.unwatched)
        return;
    kept->file[0] = call->file[0];
    kept->file[1] = call->file[1];
    long r = set_place(lane, kept, EPOLL_CTL_ADD, 0);
    kept->placed = r == 0 || r == -EEXIST;
    if (!kept->placed)
        kept_drop(kept);
}

struct call *kept_front(struct lane *lane, uint64_t data)
{
    return lane->readiness.kept[data >> 1 & (KEPT_NUMBERS - 1)].front;
}
