/* SPDX-License-Identifier: MIT
 *
 * proxy_list.c - this process's proxies: how they come and go, and the look at all in a bucket.
 */
#include "platform/linux/dispatch/proxy_list.h"

#include <fcntl.h>
#include <string.h>

#include "platform/linux/dispatch/object_signal.h"
#include "platform/linux/dispatch/peers.h"
#include "platform/linux/dispatch/sealed_file.h"
#include "platform/linux/dispatch/shared_name.h"
#include "platform/linux/dispatch/shared_trouble.h"
#include "platform/linux/dispatch/shared_word.h"
#include "platform/linux/os/own_files.h"
#include "platform/linux/os/raw.h"

/* Written by a process that may have another version of this library, or none. */
struct described {
    uint64_t peers; /* peers_file */
    uint32_t format, kind;
    int32_t limit;
};
enum { FORMAT = 2 }; /* the version of this record, and of all pages */
_Static_assert(sizeof(struct described) <= SHARED_OWN, "it fits");

static PLAT_LOCK(PROXIES) list_lock;
static struct proxy *buckets[PROXY_BUCKETS]; /* with the lock */

/* ---- Life ------------------------------------------------------------------------------------ */

/* With the lock. Notes which proxies for this file have a twin. */
static void find_twins(uint64_t file)
{
    struct proxy *first = buckets[file % PROXY_BUCKETS];
    unsigned count = 0;
    for (struct proxy *proxy = first; proxy; proxy = proxy->next)
        count += proxy->file == file;
    for (struct proxy *proxy = first; proxy; proxy = proxy->next)
        if (proxy->file == file)
            atomic_store_explicit(&proxy->twin, count > 1, memory_order_relaxed);
}

static void enlist(struct proxy *proxy)
{
    struct proxy **first = &buckets[proxy->file % PROXY_BUCKETS];
    plat_lock(&list_lock);
    proxy->next = *first;
    proxy->link = first;
    if (*first)
        (*first)->link = &proxy->next;
    atomic_signal_fence(memory_order_release); /* a child of fork has it whole, or not at all */
    *first = proxy;
    find_twins(proxy->file);
    plat_unlock(&list_lock);
}

static void let_file_go(struct proxy *proxy)
{
    RAW2(SYS_munmap, proxy->page, sizeof *proxy->page);
    own_file_close(proxy->fd);
}

/* The last handle was closed. Waits keep the object, and not its name. */
static void closed(struct object *object)
{
    struct proxy *proxy = (struct proxy *)object;
    if (proxy->name)
        shared_name_leave(proxy->name);
}

static void destroy(struct object *object)
{
    struct proxy *proxy = (struct proxy *)object;
    plat_lock(&list_lock);
    *proxy->link = proxy->next;
    if (proxy->next)
        proxy->next->link = proxy->link;
    find_twins(proxy->file);
    plat_unlock(&list_lock);
    if (proxy->name)
        shared_name_end(proxy->name); /* before the descriptor goes that others find it by */
    let_file_go(proxy);
}

/* Makes a proxy that is in no bucket yet: no other thread looks at it. Takes over the
 * descriptor. */
static struct proxy *make(enum object_type type, int fd, int32_t limit, int *error)
{
    struct proxy *proxy = NULL;
    uint64_t file;
    void *page;
    *error = sealed_file_map(fd, sizeof(struct shared_page), &page, &file);
    if (!*error && !(proxy = object_create(type, sizeof *proxy))) {
        RAW2(SYS_munmap, page, sizeof(struct shared_page));
        *error = 8;
    }
    if (!proxy) {
        own_file_close(fd);
        return NULL;
    }
    proxy->page = page;
    proxy->file = file;
    proxy->fd = fd;
    proxy->limit = limit;
    proxy->mutex.object.closed = closed;
    proxy->mutex.object.destroy = destroy;
    return proxy;
}

struct object *proxy_create(enum object_type type, uint32_t value, int32_t limit, int *error)
{
    int fd = sealed_file("umsshim-object", sizeof(struct shared_page));
    if (fd < 0) {
        *error = shared_trouble(sealed_file_error(fd));
        return NULL;
    }
    struct proxy *proxy = make(type, fd, limit, error);
    if (!proxy)
        return NULL;
    /* Before it is in its bucket: the bell holds the words of proxies there, and gives back what it
     * found. */
    atomic_store_explicit(&proxy->page->word, value, memory_order_release);
    enlist(proxy);
    return &proxy->mutex.object;
}

static const enum object_type kinds[] = {OBJECT_SHARED_AUTO_EVENT, OBJECT_SHARED_MANUAL_EVENT,
                                         OBJECT_SHARED_SEMAPHORE, OBJECT_SHARED_MUTEX};

static uint32_t kind_of(const struct object *object)
{
    uint32_t kind = 0;
    while (kinds[kind] != object->type)
        kind++;
    return kind;
}

struct object *proxy_join(const struct shared_object *shared, int *error)
{
    struct described state;
    memcpy(&state, shared->own, sizeof state);
    bool known = state.format == FORMAT && state.kind < sizeof kinds / sizeof *kinds;
    if (known && state.peers == peers_file()) {
        struct proxy *proxy = make(kinds[state.kind], shared->fd, state.limit, error);
        if (!proxy)
            return NULL;
        enlist(proxy);
        return &proxy->mutex.object;
    }
    if (known)
        plat_log(
            "an object that other processes share is not found by its name: the folder of names, "
            "umsshim-UID-... in /dev/shm, was removed while they ran. Start them anew");
    own_file_close(shared->fd);
    *error = 1306;
    return NULL;
}

void proxy_describe(const struct object *object, struct shared_object *shared)
{
    const struct proxy *proxy = (const struct proxy *)object;
    struct described state = {
        .peers = peers_file(), .format = FORMAT, .kind = kind_of(object), .limit = proxy->limit};
    shared->fd = proxy->fd;
    shared->flags = O_RDWR;
    shared->high = true;
    memcpy(shared->own, &state, sizeof state);
}

void proxy_named(struct object *object, struct shared_name *name)
{
    ((struct proxy *)object)->name = name;
}

void proxy_adopt(struct object *object)
{
    struct proxy *proxy = (struct proxy *)object;
    struct plat_thread *self = thread_current();
    plat_lock(&object->lock);
    uint64_t word = word_look(proxy->page);
    if (!proxy->mutex.owner && word_value(word) == peer_self())
        mutex_take(&proxy->mutex, self);
    plat_unlock_lasting(&object->lock);
}

/* ---- A look at them -------------------------------------------------------------------------- */

/* The other process that owns the mutex; 0: none. */
static uint32_t owner_of(const struct proxy *proxy)
{
    if (proxy->mutex.object.type != OBJECT_SHARED_MUTEX)
        return 0;
    uint32_t owner = word_value(word_look(proxy->page));
    return owner == peer_self() ? 0 : owner;
}

/* Looks at a proxy. If it is a mutex that threads of this process wait for, returns the other
 * process that owns it; 0: none. */
static uint32_t look(struct proxy *proxy, struct wait **chain)
{
    struct object *object = &proxy->mutex.object;
    bool all = object_lock_to_signal(object);
    uint32_t owner;
    if (object->refs) {
        proxy->watched = owner_of(proxy); /* or proxy_look would ring once more for a new owner */
        owner = proxy_look(proxy, chain) ? owner_of(proxy) : 0;
        proxy->watched = owner;
        object_unlock_signalled(object, all);
        return owner;
    }
    plat_unlock_lasting(&object->lock); /* it is about to go */
    if (all)
        plat_unlock_lasting(&all_lock);
    return 0;
}

unsigned proxies_look(uint64_t which, uint32_t *owners, unsigned room)
{
    struct wait *chain = NULL;
    unsigned count = 0;
    uint32_t owner;
    plat_lock(&list_lock);
    for (; which; which &= which - 1)
        for (struct proxy *proxy = buckets[__builtin_ctzll(which)]; proxy; proxy = proxy->next)
            if ((owner = look(proxy, &chain)) && count < room)
                owners[count++] = owner;
    plat_unlock(&list_lock);
    waits_open(chain);
    return count;
}

/* ---- After a fork ---------------------------------------------------------------------------- */

/* Another thread of the parent may have been changing a list: each `next` is right, but a `link`
 * need not be. */
void proxies_forget(void)
{
    plat_lock_forget(&list_lock);
    for (unsigned i = 0; i < PROXY_BUCKETS; i++) {
        struct proxy **link = &buckets[i];
        for (struct proxy *proxy = *link; proxy; link = &proxy->next, proxy = proxy->next)
            proxy->link = link;
    }
    if (peer_self())
        atomic_store_explicit(&proxies_apart, true, memory_order_relaxed);
    peers_forget();
}

void proxies_enter(void)
{
    if (atomic_exchange_explicit(&proxies_apart, false, memory_order_acq_rel))
        peer_ring_self(UINT64_MAX); /* for waits that began before */
}
