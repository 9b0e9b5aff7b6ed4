/* SPDX-License-Identifier: MIT
 *
 * keys.c - thread-specific data, and things done once.
 */
#include "assertion.h"

#include <limits.h>

static pthread_key_t key;
static volatile int destroyed;

static void destroy(void *value)
{
    EXPECT(pthread_getspecific(key) == NULL);
    int n = __atomic_add_fetch(&destroyed, 1, __ATOMIC_RELAXED);
    if (n < 3)
        pthread_setspecific(key, value); /* once more, please */
}

static void *use_key(void *value)
{
    EXPECT(pthread_getspecific(key) == NULL);
    EXPECT_EQ(pthread_setspecific(key, value), 0);
    sleep_ms(10);
    EXPECT(pthread_getspecific(key) == value);
    return NULL;
}

ASSERTION(values_are_each_threads_own)
{
    EXPECT_EQ(pthread_key_create(&key, NULL), 0);
    EXPECT(pthread_getspecific(key) == NULL);
    EXPECT_EQ(pthread_setspecific(key, &key), 0);
    pthread_t a = start(use_key, (void *)1), b = start(use_key, (void *)2);
    join(a);
    join(b);
    EXPECT(pthread_getspecific(key) == &key);
    EXPECT_EQ(pthread_key_delete(key), 0);
}

ASSERTION(destructors_are_called_again_while_values_are_left)
{
    EXPECT_EQ(pthread_key_create(&key, destroy), 0);
    join(start(use_key, (void *)1));
    EXPECT_EQ(destroyed, 3);
}

ASSERTION(a_deleted_key_calls_nothing)
{
    EXPECT_EQ(pthread_key_create(&key, destroy), 0);
    EXPECT_EQ(pthread_setspecific(key, &key), 0);
    EXPECT_EQ(pthread_key_delete(key), 0);
    EXPECT_EQ(destroyed, 0);
    EXPECT_EQ(pthread_key_delete(PTHREAD_KEYS_MAX), EINVAL);
    EXPECT_EQ(pthread_setspecific(PTHREAD_KEYS_MAX, &key), EINVAL);
}

ASSERTION(there_are_keys_until_there_are_none)
{
    pthread_key_t keys[PTHREAD_KEYS_MAX + 1];
    int n = 0, error = 0;
    while (n <= PTHREAD_KEYS_MAX && !(error = pthread_key_create(&keys[n], NULL)))
        n++;
    EXPECT_EQ(error, EAGAIN);
    while (n)
        EXPECT_EQ(pthread_key_delete(keys[--n]), 0);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static volatile int times, cancelled_first;

static void initialise(void)
{
    sleep_ms(50);
    times++;
    if (cancelled_first == 1) {
        cancelled_first = 2;
        sleep(100);
    }
}

static void *need_it(void *unused)
{
    EXPECT_EQ(pthread_once(&once, initialise), 0);
    EXPECT(times >= 1);
    return unused;
}

ASSERTION(once_is_once)
{
    pthread_t a = start(need_it, NULL), b = start(need_it, NULL);
    need_it(NULL);
    join(a);
    join(b);
    EXPECT_EQ(times, 1);
}

ASSERTION(once_that_is_cancelled_has_not_been)
{
    cancelled_first = 1;
    pthread_t a = start(need_it, NULL);
    for (int i = 0; i < 5000 && cancelled_first != 2; i++)
        sleep_ms(1);
    EXPECT_EQ(pthread_cancel(a), 0);
    EXPECT(join(a) == PTHREAD_CANCELED);
    need_it(NULL);
    EXPECT_EQ(times, 2);
}
