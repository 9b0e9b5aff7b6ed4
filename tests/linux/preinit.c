/* SPDX-License-Identifier: MIT
 *
 * preinit.c - a program whose .preinit_array calls functions that the library stands before, as the
 * address sanitizer's run time does: libc itself has not started then, and must start as always.
 */
#include "gtest_c.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

extern char **environ;

static char **given;
static void *found;
static long bytes_read = -1;

static void before_libc(int argc, char **argv, char **environment)
{
    char byte;

    (void)argc, (void)argv;
    given = environment;
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

TEST(Preinit, what_is_looked_up_is_libcs)
{
    EXPECT_EQ(found, mmap);
    EXPECT_EQ(found, dlsym(RTLD_NEXT, "mmap"));
    EXPECT_EQ(bytes_read, -1);
}
