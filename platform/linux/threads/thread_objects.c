/* SPDX-License-Identifier: MIT
 *
 * thread_objects.c - thread-local objects that have a destructor: of workers.
 *
 * A compiler registers each such object with __cxa_thread_atexit_impl when the object is made. libc
 * destroys the objects at the end of the kernel thread, or when the thread calls exit, and nowhere
 * else. This library stands before that function and keeps a worker's objects itself. So a worker
 * that ends can destroy them, and its home may be the next worker's.
 *
 *     libc's list       ... objects of other modules -> guard      the newest object comes first
 *     the worker's list                                   \-> c -> b -> a
 *
 * With the first object of a home's worker the library puts a guard into libc's list. The guard's
 * destructor destroys the worker's list. So wherever libc destroys a thread's objects, the worker's
 * go as well, in the same order: at the end of a home that is woken, in a worker that calls exit,
 * in the child of a fork. The guard stays when the home gets its next worker.
 *
 * The worker's list has only objects of modules that came with the program and so are never
 * unloaded: libc counts the objects of each module, and keeps the module while it has some. From
 * the first object of another module on, all objects go to libc, and the home ends with its worker.
 * Only the thread itself reads the list.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "platform/check.h"
#include "platform/linux/current.h"
#include "platform/linux/os/front_behind.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/switch/home.h"
#include "platform/linux/threads/home_layout.h"
#include "platform/linux/threads/thread_objects.h"

enum { MOST_LIBC_BYTES = 4096 };

struct thread_object {
    void (*destroy)(void *);
    void *object;
    struct thread_object *next;
};

/* Where libc's words are that tell of objects: each number says how many bytes before the thread
 * pointer. objects_learn writes them once, before `words_known`. */
static size_t words[HOME_OBJECT_WORDS];
static unsigned word_count;
static _Atomic bool words_known;

FRONT_EXPORT int __cxa_thread_atexit_impl(void (*destroy)(void *), void *object, void *dso);
extern void *__dso_handle __attribute__((visibility("hidden")));

static uintptr_t word_at(uintptr_t fs_base, size_t before)
{
    uintptr_t word;
    memcpy(&word, (const char *)fs_base - before, sizeof word);
    return word;
}

/* An object's destructor may make other objects. They are destroyed next. */
void objects_destroy(void)
{
    struct thread_object *first;
    plat_tls.objects.go = true;
    while ((first = plat_tls.objects.first)) {
        plat_tls.objects.first = first->next;
        first->destroy(first->object);
        free(first);
    }
    plat_tls.objects.go = false;
}

static void guard_goes(void *unused)
{
    (void)unused;
    objects_destroy();
}

void objects_are_libcs(void)
{
    plat_tls.objects.libcs = true;
}

/* Gives the list's objects to libc, the oldest first. */
static int hand_over(void)
{
    struct thread_object *oldest = NULL, *next;
    for (struct thread_object *object = plat_tls.objects.first; object; object = next) {
        next = object->next;
        object->next = oldest;
        oldest = object;
    }
    plat_tls.objects.first = NULL;
    int error = 0;
    for (; oldest; oldest = next) {
        next = oldest->next;
        error |= LIBC(__cxa_thread_atexit_impl)(oldest->destroy, oldest->object, &__dso_handle);
        free(oldest);
    }
    return error;
}

static bool guard(struct home *home)
{
    if (home->guarded)
        return true;
    if (LIBC(__cxa_thread_atexit_impl)(guard_goes, NULL, &__dso_handle) != 0)
        return false;
    for (unsigned i = 0; i < word_count; i++)
        home->objects[i] = word_at(home->fs_base, words[i]);
    home->guarded = true;
    return true;
}

/* Whether this library destroys a new object, and not libc. While the library destroys objects,
 * this function may run on the home's own stack. */
static bool is_ours(void *dso)
{
    struct plat_context *self = plat_tls.current;
    if (!home_layout_came_with_program(dso))
        return false;
    if (plat_tls.objects.go)
        return true;
    return self && !self->is_scheduler && !plat_tls.objects.libcs && self->home->renewable &&
           atomic_load_explicit(&words_known, memory_order_acquire) && guard(self->home);
}

int __cxa_thread_atexit_impl(void (*destroy)(void *), void *object, void *dso)
{
    struct thread_object *made = is_ours(dso) ? malloc(sizeof *made) : NULL;
    if (made) {
        *made = (struct thread_object){destroy, object, plat_tls.objects.first};
        plat_tls.objects.first = made;
        return 0;
    }
    /* The objects left in this library's list are older: libc is to destroy them after the new
     * one. */
    if (plat_tls.objects.go)
        hand_over();
    plat_tls.objects.libcs = true;
    return LIBC(__cxa_thread_atexit_impl)(destroy, object, dso);
}

bool objects_are_as_before(const struct home *home, const char *before)
{
    for (unsigned i = 0; i < word_count; i++) {
        uintptr_t now = word_at(home->fs_base, words[i]), then;
        memcpy(&then, before + (home_layout.below - words[i]), sizeof then);
        if (now != (home->guarded ? home->objects[i] : then))
            return false;
    }
    return true;
}

void objects_learn(struct home *home)
{
    static char before[MOST_LIBC_BYTES];
    const struct span libcs = home_layout.libcs;
    const char *first = (const char *)home->fs_base - libcs.from;
    if (libcs.from - libcs.to > sizeof before)
        return;
    memcpy(before, first, libcs.from - libcs.to);
    if (!guard(home))
        return;
    for (size_t at = libcs.from; at >= libcs.to + 8; at -= 8) {
        if (memcmp(first + (libcs.from - at), before + (libcs.from - at), 8) == 0 ||
            home_layout_is_left_out(at))
            continue;
        if (word_count == HOME_OBJECT_WORDS)
            return; /* too many words: this home has one worker only */
        words[word_count] = at;
        home->objects[word_count++] = word_at(home->fs_base, at);
        home_layout_leave_out((struct span){.from = at, .to = at - 8, .kind = SPAN_OBJECTS});
    }
    atomic_store_explicit(&words_known, word_count > 0, memory_order_release);
}
