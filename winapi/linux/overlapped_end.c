/* SPDX-License-Identifier: MIT
 *
 * overlapped_end.c - see overlapped_end.h.
 *
 * Operations are malloc's memory once other threads know of them, and ums:async may not use the
 * heap. So an operation that ends there without a packet or a procedure goes on the list `spent`.
 * The next operation that gets such memory frees that list.
 */
#include <stddef.h>
#include <string.h>

#include "platform/linux/dispatch/address.h"
#include "platform/linux/dispatch/object_signal.h"
#include "platform/linux/dispatch/packet_memory.h"
#include "platform/linux/dispatch/proxy.h"
#include "winapi/linux/overlapped_end.h"

_Static_assert(sizeof(union operation_end) <= PACKET_SMALL, "its memory is used again");

static _Atomic(union operation_end *) spent;

/* ---- Memory ---------------------------------------------------------------------------------- */

struct operation *operation_memory(struct plat_thread *self, size_t extra)
{
    if (UMS_UNLIKELY(atomic_load_explicit(&spent, memory_order_relaxed) != NULL)) {
        union operation_end *each = atomic_exchange_explicit(&spent, NULL, memory_order_acquire);
        while (each) {
            union operation_end *next = each->next_spent;
            packet_free(self, &each->packet);
            each = next;
        }
    }
    struct packet *packet = packet_memory(self, sizeof(struct operation) + extra);
    struct operation *operation = (struct operation *)packet;
    if (operation)
        operation->end.at = &operation->end.own;
    return operation;
}

bool operation_end_memory(struct plat_thread *self, struct operation *operation, bool tells)
{
    operation->end.at =
        tells ? (union operation_end *)packet_memory(self, sizeof *operation->end.at) : NULL;
    return operation->end.at || !tells;
}

struct operation *operation_keep(struct operation *operation)
{
    enum { BEHIND_END = offsetof(struct operation, end.at) };
    struct plat_thread *self = operation->thread;
    if (operation->end.at == &operation->end.own)
        return operation;
    struct operation *kept = operation_memory(self, 0);
    if (!kept)
        return NULL;
    if (operation->end.at)
        packet_free(self, &operation->end.at->packet);
    memcpy((char *)kept + BEHIND_END, (char *)operation + BEHIND_END, sizeof *kept - BEHIND_END);
    kept->end.at = &kept->end.own;
    return kept;
}

static void let_memory_go(union operation_end *end)
{
    struct plat_thread *self = plat_tls.thread;
    if (!end)
        return;
    if (self && !plat_tls.locks) {
        packet_free(self, &end->packet);
        return;
    }
    end->next_spent = atomic_load_explicit(&spent, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&spent, &end->next_spent, end,
                                                  memory_order_release, memory_order_relaxed))
        continue;
}

/* The references of an operation, without the one to the file. */
struct references {
    struct object *event, *other, *thread; /* NULL: none */
};

static struct references references_of(const struct operation *operation)
{
    return (struct references){.event = operation->event,
                               .other = operation->other,
                               .thread =
                                   operation->holds_thread ? &operation->thread->object : NULL};
}

static void drop(struct references references)
{
    if (references.event)
        object_drop(references.event);
    if (references.other)
        object_drop(references.other);
    if (references.thread)
        object_drop(references.thread);
}

static void end_unseen(struct operation *operation)
{
    drop(references_of(operation));
    let_memory_go(operation->end.at);
}

void operation_free(struct operation *operation)
{
    struct file *file = operation->file;
    end_unseen(operation);
    object_drop(&file->object);
}

/* ---- Statuses -------------------------------------------------------------------------------- */

/* Errors that have a status of their own on Windows which programs know. */
static const struct {
    DWORD error, status;
} statuses[] = {
    {ERROR_SUCCESS, 0},
    {ERROR_OPERATION_ABORTED, 0xc0000120},  /* STATUS_CANCELLED */
    {ERROR_HANDLE_EOF, 0xc0000011},         /* STATUS_END_OF_FILE */
    {ERROR_BROKEN_PIPE, 0xc000014b},        /* STATUS_PIPE_BROKEN */
    {ERROR_MORE_DATA, 0x80000005},          /* STATUS_BUFFER_OVERFLOW */
    {ERROR_NOACCESS, 0xc0000005},           /* STATUS_ACCESS_VIOLATION */
    {ERROR_INVALID_PARAMETER, 0xc000000d},  /* STATUS_INVALID_PARAMETER */
    {ERROR_ACCESS_DENIED, 0xc0000022},      /* STATUS_ACCESS_DENIED */
    {ERROR_DISK_FULL, 0xc000007f},          /* STATUS_DISK_FULL */
    {ERROR_NO_DATA, 0xc00000b1},            /* STATUS_PIPE_CLOSING */
    {ERROR_PIPE_NOT_CONNECTED, 0xc00000b0}, /* STATUS_PIPE_DISCONNECTED */
    {ERROR_NETNAME_DELETED, 0xc000020d},    /* STATUS_CONNECTION_RESET */
    {ERROR_CONNECTION_REFUSED, 0xc0000236}, /* STATUS_CONNECTION_REFUSED */
};
/* All other errors: the error itself, with the facility for Win32 errors. */
enum { FACILITY_OF_ERRORS = 0xc0070000 };

ULONG_PTR overlapped_status(DWORD error)
{
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        if (statuses[i].error == error)
            return statuses[i].status;
    return (DWORD)FACILITY_OF_ERRORS | (error & 0xffff);
}

DWORD overlapped_error(ULONG_PTR status)
{
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        if (statuses[i].status == status)
            return statuses[i].error;
    return (DWORD)status & 0xffff;
}

/* ---- Waiting for Internal -------------------------------------------------------------------- */

static _Atomic uint32_t waiters;

/* The waiter counts itself, then looks at Internal under the lock of its address. The publisher
 * writes Internal, then looks at the count: so at least one of the two sees the other. The
 * OVERLAPPED may be freed by now: only its address is used. */
static void overlapped_wake(const OVERLAPPED *overlapped)
{
    atomic_thread_fence(memory_order_seq_cst);
    if (UMS_UNLIKELY(atomic_load_explicit(&waiters, memory_order_relaxed)))
        address_wake(&overlapped->Internal, UINT32_MAX, NULL, NULL);
}

static bool is_pending(void *overlapped)
{
    return __atomic_load_n(&((OVERLAPPED *)overlapped)->Internal, __ATOMIC_ACQUIRE) ==
           STATUS_PENDING;
}

bool overlapped_wait(const OVERLAPPED *overlapped, uint64_t deadline)
{
    uint32_t result = 0;
    atomic_fetch_add_explicit(&waiters, 1, memory_order_seq_cst);
    ready_look(true); /* the operation may be one that only such a look completes */
    while (result != WAITED_TIMEOUT && is_pending((void *)overlapped))
        result =
            address_wait(&overlapped->Internal, is_pending, NULL, (void *)overlapped, deadline);
    atomic_fetch_sub_explicit(&waiters, 1, memory_order_relaxed);
    return !is_pending((void *)overlapped);
}

/* ---- Publishing ------------------------------------------------------------------------------ */

static void reset(struct object *object)
{
    struct wait *chain = NULL;
    if (!__atomic_load_n(&object->signal, __ATOMIC_RELAXED) && !object_is_proxy(object))
        return;
    if (object_is_proxy(object))
        proxies_join();
    bool all = object_lock_to_signal(object);
    if (object->type == OBJECT_FILE)
        object->signal = 0;
    else
        object_act(object, EVENT_RESET, 0, &chain);
    object_unlock_signalled(object, all);
}

static struct object *signalled_by(struct operation *operation)
{
    UCHAR modes = atomic_load_explicit(&operation->file->notification, memory_order_relaxed);
    if (operation->event)
        return operation->event;
    return modes & FILE_SKIP_SET_EVENT_ON_HANDLE ? NULL : &operation->file->object;
}

void operation_pends(struct operation *operation)
{
    OVERLAPPED *overlapped = operation->overlapped;
    if (operation->pends)
        return;
    operation->pends = true;
    struct object *signalled = signalled_by(operation);
    overlapped->InternalHigh = 0;
    __atomic_store_n(&overlapped->Internal, STATUS_PENDING, __ATOMIC_RELEASE);
    if (signalled)
        reset(signalled);
}

/* The file keeps its port or sink alive, and the caller keeps the file alive. */
static void give_packet(struct operation *operation)
{
    struct references references = references_of(operation);
    struct packet *packet = &operation->end.at->packet;
    packet->key = operation->file->key;
    packet->overlapped = operation->overlapped;
    packet->bytes = operation->bytes;
    packet->error = operation->error;
    if (operation->sink)
        operation->sink->take(operation->sink, packet);
    else
        port_give(operation->port, packet);
    drop(references); /* the operation's memory may be the packet's by now */
}

/* If the thread has ended, no thread makes the call. */
static void give_procedure(struct operation *operation)
{
    struct plat_thread *thread = operation->thread;
    union operation_end *end = operation->end.at;
    bool own = !operation->holds_thread;
    uintptr_t routine = (uintptr_t)operation->routine;
    struct apc apc = {.fn = (void (*)(uintptr_t, uintptr_t, uintptr_t))routine,
                      .a = operation->error,
                      .b = operation->bytes,
                      .c = (uintptr_t)operation->overlapped};
    if (!own)
        object_hold(&thread->object);
    drop(references_of(operation));
    end->apc = apc;
    if (apc_append(&end->apc, thread)) { /* the memory is the queue's now */
        wait_alert(thread);
    } else {
        end->packet.room = 0; /* the procedure lies over it: the memory goes back to malloc */
        let_memory_go(end);
    }
    if (!own)
        object_drop(&thread->object);
}

/* Whether the file is signalled already. An operation that was over at once has not reset its file.
 * As long as the file is signalled no thread waits for it, so to signal it again changes nothing.
 * If another operation resets it meanwhile, that is as if it came after this one's end. */
static bool stands_signalled(const struct operation *operation, const struct object *signalled)
{
    return !operation->pends && signalled->type == OBJECT_FILE &&
           __atomic_load_n(&signalled->signal, __ATOMIC_RELAXED);
}

void operation_publish(struct operation *operation, bool at_once)
{
    OVERLAPPED *overlapped = operation->overlapped;
    struct object *signalled = signalled_by(operation);
    bool awaited = operation->pends ||
                   __atomic_load_n(&overlapped->Internal, __ATOMIC_RELAXED) == STATUS_PENDING;
    UCHAR modes = atomic_load_explicit(&operation->file->notification, memory_order_relaxed);
    bool skips = at_once && !operation->error && modes & FILE_SKIP_COMPLETION_PORT_ON_SUCCESS;
    overlapped->InternalHigh = operation->bytes;
    __atomic_store_n(&overlapped->Internal, overlapped_status(operation->error), __ATOMIC_RELEASE);
    if (signalled && !stands_signalled(operation, signalled))
        object_signal(signalled);
    if (awaited)
        overlapped_wake(overlapped);
    if ((operation->port || operation->sink) && !skips)
        give_packet(operation);
    else if (operation->routine)
        give_procedure(operation);
    else
        end_unseen(operation);
}

/* ---- A transfer that is over at its first call ----------------------------------------------- */

struct packet *at_once_packet(struct file *file, const OVERLAPPED *overlapped,
                              LPOVERLAPPED_COMPLETION_ROUTINE routine)
{
    struct plat_thread *self = plat_tls.thread;
    if (!self || !overlapped || overlapped->hEvent || routine ||
        !atomic_load_explicit(&file->port, memory_order_acquire) || async_start())
        return NULL;
    return packet_memory(self, sizeof(union operation_end));
}

void at_once_spare(struct packet *packet)
{
    packet_free(plat_tls.thread, packet);
}

/* It has not reset its file, nor does it signal one that stands signalled: stands_signalled says
 * why. */
void at_once_over(struct file *file, OVERLAPPED *overlapped, struct packet *packet, DWORD bytes)
{
    UCHAR modes = atomic_load_explicit(&file->notification, memory_order_relaxed);
    bool awaited = __atomic_load_n(&overlapped->Internal, __ATOMIC_RELAXED) == STATUS_PENDING;
    overlapped->InternalHigh = bytes;
    __atomic_store_n(&overlapped->Internal, 0, __ATOMIC_RELEASE);
    if (!(modes & FILE_SKIP_SET_EVENT_ON_HANDLE) &&
        !__atomic_load_n(&file->object.signal, __ATOMIC_RELAXED))
        object_signal(&file->object);
    if (UMS_UNLIKELY(awaited))
        overlapped_wake(overlapped);
    if (modes & FILE_SKIP_COMPLETION_PORT_ON_SUCCESS) {
        at_once_spare(packet);
    } else {
        packet->key = file->key;
        packet->overlapped = overlapped;
        packet->bytes = bytes;
        packet->error = ERROR_SUCCESS;
        port_give(atomic_load_explicit(&file->port, memory_order_relaxed), packet);
    }
    object_drop(&file->object);
}
