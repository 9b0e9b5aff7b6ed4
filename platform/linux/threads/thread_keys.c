/* SPDX-License-Identifier: MIT
 *
 * thread_keys.c - pthread keys of the program's: their values at a worker's end.
 *
 * libc calls the destructors of keys at the end of a kernel thread, and nowhere else. So this
 * library stands before pthread_key_create and remembers keys and destructors. A worker that ends
 * calls the destructors itself. Then its home may be the next worker's.
 *
 * libc counts how often it made each key, and keeps that count, the age, beside each value. This
 * library takes a value for one of a remembered key only if both ages agree. Any other key is
 * libc's alone, and a home with a value of such a key ends as a thread does. Such are keys made
 * before this library was loaded, keys made by tss_create, and keys past libc's first ones, whose
 * values lie elsewhere.
 */
#pragma GCC visibility push(default)
#include <limits.h>
#include <pthread.h>
#pragma GCC visibility pop

#include "platform/linux/current.h"
#include "platform/linux/os/front_behind.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/switch/home.h"
#include "platform/linux/threads/home_layout.h"
#include "platform/linux/threads/thread_keys.h"

typedef void (*key_destructor)(void *);

/* The thread that makes a key writes the key's row before any other thread has the key. It writes
 * the age last. */
static struct {
    _Atomic(key_destructor) destructor;
    _Atomic uintptr_t age; /* 0: not remembered */
} rows[FIRST_KEYS];
static _Atomic unsigned rows_used; /* rows from here on were never used */

static const struct key_value *values_at(uintptr_t fs_base)
{
    return (const struct key_value *)(fs_base + home_layout.values_at);
}

static void remember(pthread_key_t key, key_destructor destructor)
{
    if (key >= FIRST_KEYS || !home_layout.known)
        return;
    atomic_store_explicit(&rows[key].age, 0, memory_order_relaxed);
    atomic_store_explicit(&rows[key].destructor, destructor, memory_order_release);
    pthread_setspecific(key, NULL); /* libc writes the key's age beside the value */
    atomic_store_explicit(&rows[key].age, values_at(thread_pointer())[key].age,
                          memory_order_release);
    unsigned used = atomic_load_explicit(&rows_used, memory_order_relaxed);
    while (used <= key &&
           !atomic_compare_exchange_weak_explicit(&rows_used, &used, key + 1, memory_order_release,
                                                  memory_order_relaxed))
        ;
}

int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
    int error = LIBC(pthread_key_create)(key, destructor);
    if (!error)
        remember(*key, destructor);
    return error;
}

bool key_is_remembered(unsigned key, uintptr_t age)
{
    return age && atomic_load_explicit(&rows[key].age, memory_order_acquire) == age;
}

static bool has_value(const struct key_value *values, unsigned key)
{
    return values[key].value && key_is_remembered(key, values[key].age);
}

bool keys_have_values(const struct home *home)
{
    unsigned used = atomic_load_explicit(&rows_used, memory_order_acquire);
    for (unsigned key = 0; key < used; key++)
        if (has_value(values_at(home->fs_base), key))
            return true;
    return false;
}

/* The program may have deleted the key by now: then libc tells no value. */
static bool destroy(unsigned key)
{
    key_destructor destructor = atomic_load_explicit(&rows[key].destructor, memory_order_relaxed);
    void *value = pthread_getspecific(key);
    if (!value)
        return false;
    pthread_setspecific(key, NULL);
    if (destructor)
        destructor(value);
    return true;
}

/* A destructor may make keys, and set any key's value: hence the rounds. */
void keys_destroy_values(void)
{
    const struct key_value *values = values_at(thread_pointer());
    bool more = true;
    for (int round = 0; more && round < PTHREAD_DESTRUCTOR_ITERATIONS; round++) {
        more = false;
        for (unsigned key = 0; key < FIRST_KEYS; key++)
            more |= has_value(values, key) && destroy(key);
    }
    for (unsigned key = 0; more && key < FIRST_KEYS; key++)
        if (has_value(values, key))
            pthread_setspecific(key, NULL);
}
