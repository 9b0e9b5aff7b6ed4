/* SPDX-License-Identifier: MIT
 *
 * thread_pool_io.c - callbacks of the thread pool for operations on files: CreateThreadpoolIo.
 *
 * `owners` counts the owners of an io object: its creator until CloseThreadpoolIo, and each
 * operation from StartThreadpoolIo to the end of its callback, or to CancelThreadpoolIo. The last
 * one closes the item. The file is no owner. It has a reference to the sink, and so has the io
 * object.
 */
#include <stdlib.h>

#include "platform/container_of.h"
#include "platform/linux/dispatch/address.h"
#include "winapi/linux/file.h"
#include "winapi/linux/packet_queue.h"
#include "winapi/linux/thread_pool.h"

struct io_sink {
    struct packet_sink sink;
    _Atomic uint32_t refs; /* references, of the file and of the io object */
    struct tp_io *io;      /* used only for operations that count as owners of the io object */
};

struct tp_io {
    struct tp_object object; /* must be first */
    struct packet_queue packets;
    struct io_sink *sink;
    _Atomic uint32_t owners, started;
};

static void sink_release(struct io_sink *sink)
{
    if (atomic_fetch_sub_explicit(&sink->refs, 1, memory_order_acq_rel) == 1)
        free(sink);
}

static void file_ends(struct packet_sink *sink)
{
    sink_release((struct io_sink *)sink);
}

static void take(struct packet_sink *sink, struct packet *packet)
{
    struct tp_io *io = ((struct io_sink *)sink)->io;
    packet_push(&io->packets, packet);
    pool_submit(&io->object.item);
}

static void disown(struct tp_io *io)
{
    if (atomic_fetch_sub_explicit(&io->owners, 1, memory_order_acq_rel) == 1)
        pool_item_close(&io->object.item, NULL);
}

/* An operation is no owner any more: its callback has returned, or it was never begun
 * (CancelThreadpoolIo). */
static void operation_ends(struct tp_io *io)
{
    if (atomic_fetch_sub_explicit(&io->started, 1, memory_order_seq_cst) == 1)
        address_wake(&io->started, UINT32_MAX, NULL, NULL);
    disown(io);
}

static void call_io(struct tp_object *object, PTP_CALLBACK_INSTANCE instance,
                    const struct pool_call *call)
{
    struct tp_io *io = (struct tp_io *)object;
    struct packet *packet = packet_pull(&io->packets);
    (void)call;
    if (!packet)
        return; /* WaitForThreadpoolIoCallbacks has taken the packet */
    struct packet own = *packet;
    free(packet);
    object->fn.io(instance, object->context, own.overlapped, own.error, own.bytes, (PTP_IO)object);
    operation_ends(io);
}

static void run_io(struct pool_item *item, struct pool_call *call)
{
    win__tp_call(item, call, call_io);
}

static void destroy(struct pool_item *item)
{
    struct tp_io *io = (struct tp_io *)item;
    sink_release(io->sink);
    free(io);
}

static int init_io(struct tp_object *object, struct pool *pool, struct pool_group *group)
{
    object->item.destroy = destroy;
    return pool_item_init(&object->item, pool, group);
}

/* 0 or an error. */
static int associate(struct file *file, struct packet_sink *sink)
{
    int error = 0;
    plat_lock(&file->pending_lock);
    if (!file->overlapped || atomic_load_explicit(&file->port, memory_order_relaxed) ||
        atomic_load_explicit(&file->sink, memory_order_relaxed))
        error = ERROR_INVALID_PARAMETER;
    else
        atomic_store_explicit(&file->sink, sink, memory_order_release);
    plat_unlock(&file->pending_lock);
    return error;
}

TP_IO *WINAPI CreateThreadpoolIo(HANDLE fl, PTP_WIN32_IO_CALLBACK pfnio, PVOID pv,
                                 TP_CALLBACK_ENVIRON *pcbe)
{
    struct file *file = win__file(fl);
    if (!file)
        return NULL;
    if (pcbe && pcbe->CleanupGroup) { /* a cleanup group would not wait for operations */
        object_drop(&file->object);
        win__fail(ERROR_NOT_SUPPORTED);
        return NULL;
    }
    struct io_sink *sink = calloc(1, sizeof *sink);
    struct tp_io *io =
        sink ? (struct tp_io *)win__tp_create_sized(sizeof *io, pfnio, pv, pcbe, init_io, run_io)
             : NULL;
    int error = sink ? 0 : ERROR_NOT_ENOUGH_MEMORY;
    if (io) {
        *sink = (struct io_sink){.sink = {take, file_ends}, .refs = 2, .io = io};
        io->object.fn.io = pfnio;
        io->sink = sink;
        io->owners = 1;
        error = associate(file, &sink->sink);
        if (error) {
            sink_release(sink);
            disown(io);
            io = NULL;
        }
    } else {
        free(sink);
    }
    object_drop(&file->object);
    if (error)
        win__fail((DWORD)error);
    return (TP_IO *)io;
}

VOID WINAPI StartThreadpoolIo(TP_IO *pio)
{
    struct tp_io *io = (struct tp_io *)pio;
    atomic_fetch_add_explicit(&io->owners, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&io->started, 1, memory_order_relaxed);
}

VOID WINAPI CancelThreadpoolIo(TP_IO *pio)
{
    operation_ends((struct tp_io *)pio);
}

static bool under_way(void *io)
{
    return atomic_load_explicit(&((struct tp_io *)io)->started, memory_order_acquire) != 0;
}

VOID WINAPI WaitForThreadpoolIoCallbacks(TP_IO *pio, BOOL fCancelPendingCallbacks)
{
    struct tp_io *io = (struct tp_io *)pio;
    if (fCancelPendingCallbacks) {
        for (uint32_t left = pool_cancel(&io->object.item); left; left--) {
            struct packet *packet = packet_pull(&io->packets);
            free(packet);
            operation_ends(io);
        }
    } else {
        while (under_way(io))
            address_wait(&io->started, under_way, NULL, io, PLAT_FOREVER);
    }
    pool_wait_idle(&io->object.item);
}

VOID WINAPI CloseThreadpoolIo(TP_IO *pio)
{
    disown((struct tp_io *)pio);
}

/* ---- BindIoCompletionCallback: an item for each file ----------------------------------------- */

struct bound {
    struct pool_item item; /* must be first */
    struct packet_sink sink;
    struct packet_queue packets;
    LPOVERLAPPED_COMPLETION_ROUTINE fn;
};

static struct bound *of_sink(struct packet_sink *sink)
{
    return CONTAINER_OF(sink, struct bound, sink);
}

static void take_bound(struct packet_sink *sink, struct packet *packet)
{
    struct bound *bound = of_sink(sink);
    packet_push(&bound->packets, packet);
    pool_submit(&bound->item);
}

static void file_of_bound_ends(struct packet_sink *sink)
{
    pool_item_close(&of_sink(sink)->item, NULL);
}

static void run_bound(struct pool_item *item, struct pool_call *call)
{
    struct bound *bound = (struct bound *)item;
    struct packet *packet = packet_pull(&bound->packets), own = *packet;
    (void)call;
    free(packet);
    bound->fn(own.error, own.bytes, own.overlapped);
}

static void destroy_bound(struct pool_item *item)
{
    free(item);
}

BOOL WINAPI BindIoCompletionCallback(HANDLE FileHandle, LPOVERLAPPED_COMPLETION_ROUTINE Function,
                                     ULONG Flags)
{
    struct file *file = win__file(FileHandle);
    if (!file)
        return FALSE;
    struct bound *bound = Function && !Flags ? calloc(1, sizeof *bound) : NULL;
    int error = !Function || Flags ? ERROR_INVALID_PARAMETER : !bound ? ERROR_NOT_ENOUGH_MEMORY : 0;
    if (bound) {
        bound->sink = (struct packet_sink){take_bound, file_of_bound_ends};
        bound->item.run = run_bound;
        bound->item.destroy = destroy_bound;
        bound->fn = Function;
        error = pool_item_init(&bound->item, NULL, NULL);
        if (error) {
            free(bound);
        } else {
            error = associate(file, &bound->sink);
            if (error)
                pool_item_close(&bound->item, NULL);
        }
    }
    object_drop(&file->object);
    return win__result(error);
}
