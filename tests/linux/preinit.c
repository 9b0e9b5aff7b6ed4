/* SPDX-License-Identifier: MIT
 *
 * preinit.c - a program whose .preinit_array calls functions that the library stands before, as the
 * address sanitizer's run time does: libc itself has not started then, and must start as always. Its allocator
 * calls such functions as well, as the sanitizer's reads the clock: when the dynamic linker frees the text of
 * an error, the call must not come back to the dynamic linker.
 *
 * modes: default
 */
#include "gtest_c.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static char **given;
static void *found;
static long bytes_read = -1;
static unsigned clocks_read, deepest;

/* ---- An allocator that reads the clock ---- */

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void __libc_free(void *block);

static void read_the_clock(void)
{
    static unsigned depth;
    struct timespec now;

    if (++depth > deepest)
        deepest = depth;
    if (depth < 20 && clock_gettime(CLOCK_MONOTONIC, &now) == 0)
        clocks_read++;
    depth--;
}

void *malloc(size_t bytes)
{
    read_the_clock();
    return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    read_the_clock();
    return __libc_calloc(count, bytes);
}

void free(void *block)
{
    read_the_clock();
    __libc_free(block);
}

/* ---- Before libc ---- */

static void before_libc(int argc, char **argv, char **environment)
{
    char byte;

    given = environment;
    dlsym(RTLD_NEXT, "no_such_function"); /* the linker keeps a text, and frees it with its next */
    dlsym(RTLD_NEXT, "none_either");
    found = dlsym(RTLD_NEXT, "mmap");
    bytes_read = read(-1, &byte, 0);
}

__attribute__((section(".preinit_array"), used)) static void (*const first)(int, char **,
                                                                            char **) = before_libc;

TEST(Preinit, libc_gets_its_environment)
{
    ASSERT_NE(given, NULL);
    EXPECT_EQ(environ, given);
    EXPECT_NE(getenv("PATH"), NULL);
}

TEST(Preinit, an_allocator_that_reads_the_clock)
{
    EXPECT_GT(clocks_read, 0u);
    EXPECT_EQ(deepest, 1u);
}

TEST(Preinit, what_is_looked_up_is_libcs)
{
    EXPECT_EQ(found, mmap);
    EXPECT_EQ(found, dlsym(RTLD_NEXT, "mmap"));
    EXPECT_EQ(bytes_read, -1);
}
