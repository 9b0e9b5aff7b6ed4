// SPDX-License-Identifier: MIT
//
// left_behind.cpp - see left_behind.h. One thread at a time ends.
#include "left_behind.h"

#include "bench.h"

#include <cerrno>
#include <pthread.h>

namespace {

uint64_t destroyed;

struct Counted {
    ~Counted() { destroyed += used; }
    uint64_t used = 0;
};

thread_local Counted counted;

void destroy_value(void *)
{
    destroyed++;
}

pthread_key_t make_key()
{
    pthread_key_t made;

    if (int error = pthread_key_create(&made, destroy_value))
        bench_fail("pthread_key_create", error);
    return made;
}

const pthread_key_t key = make_key();

} // namespace

void leave_behind()
{
    counted.used = 1;
    pthread_setspecific(key, &counted);
    errno = EAGAIN;
}

uint64_t left_destroyed()
{
    return destroyed;
}
