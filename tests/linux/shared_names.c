/* SPDX-License-Identifier: MIT
 *
 * shared_names.c - the folder in which the names of a user's sections are: closed to other users,
 * at another place if there is no /dev/shm; and the files that may be in it.
 *
 * modes: default
 * with: own_shm.c
 */
#include "own_shm.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[300];

/* ---- Other users ---------------------------------------------------------------------------- */

static int as_nobody(void)
{
    if (setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY))
        return 1;
    if (opendir(folder) || errno != EACCES)
        return 2;
    if (find_section("theirs") || GetLastError() != ERROR_FILE_NOT_FOUND)
        return 3;
    if (!make_section("theirs") || GetLastError() != ERROR_SUCCESS)
        return 4; /* another user's name is another name */
    return 0;
}

static int closed_to_others(void *unused)
{
    char file[600];
    struct stat status;
    HANDLE section;

    if (!own_place("/dev/shm"))
        return NO_PLACE;
    umask(0);
    section = make_section("mine");
    EXPECT_OK(section != NULL);
    EXPECT_EQ(entries("/dev/shm", folder, sizeof folder), 1);
    EXPECT_EQ(stat(folder, &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0700);
    EXPECT_EQ(entries(folder, file, sizeof file), 1);
    EXPECT_EQ(stat(file, &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0600);
    EXPECT_LE(status.st_blocks * 512, 4096); /* a page */
    EXPECT_OK(CloseHandle(section));
    EXPECT_EQ(entries(folder, file, sizeof file), 0);
    section = make_section("theirs");
    EXPECT_OK(section != NULL);
    EXPECT_OK(CloseHandle(section));
    other_process(as_nobody, 0);
    return 0;
}

CALL_TEST(SharedNames, are_closed_to_other_users, in_own_place(closed_to_others, NULL))

static int strict_umask(void *unused)
{
    HANDLE section;

    if (!own_place("/dev/shm"))
        return NO_PLACE;
    umask(0777);
    section = make_section("mine");
    EXPECT_OK(section != NULL);
    EXPECT_OK(CloseHandle(section));
    return 0;
}

CALL_TEST(SharedNames, do_not_depend_on_the_umask, in_own_place(strict_umask, NULL))

/* ---- Other places ---------------------------------------------------------------------------- */

static int make_mine(void)
{
    return !make_section("mine") || GetLastError() != ERROR_SUCCESS;
}

static int in_tmp(void *unused)
{
    struct held held;
    HANDLE section;
    char last[600];

    if (!own_place("/dev") || !own_place("/tmp"))
        return NO_PLACE;
    if (!hold(&held, make_mine))
        return 1;
    EXPECT_EQ(entries("/tmp", folder, sizeof folder), 1);
    section = find_section("mine");
    EXPECT_OK(section != NULL);
    let_go(&held);
    EXPECT_OK(CloseHandle(section));
    EXPECT_EQ(entries(folder, last, sizeof last), 0);
    return 0;
}

CALL_TEST(SharedNames, are_in_tmp_where_there_is_no_other_place, in_own_place(in_tmp, NULL))

enum { LARGE = 1 << 20 };

/* All of it is written to: there is memory behind each page. */
static int make_large(void)
{
    HANDLE section =
        CreateFileMappingA(INVALID_HANDLE_VALUE, NULL, PAGE_READWRITE, 0, LARGE, "large");
    char *view = section ? MapViewOfFile(section, FILE_MAP_ALL_ACCESS, 0, 0, 0) : NULL;

    if (!view)
        return 1;
    memset(view, 7, LARGE);
    return 0;
}

static int little_room(void *unused)
{
    struct held held;
    HANDLE section;
    const char *view;

    if (!own_place("/dev/shm"))
        return NO_PLACE;
    EXPECT_EQ(mount(NULL, "/dev/shm", NULL, MS_REMOUNT, "size=64k"), 0);
    if (!hold(&held, make_large))
        return 1;
    section = find_section("large");
    EXPECT_OK(section != NULL);
    view = MapViewOfFile(section, FILE_MAP_READ, 0, 0, 0);
    EXPECT_OK(view != NULL);
    if (view)
        EXPECT_EQ(view[LARGE - 1], 7);
    kill_held(&held);
    if (view)
        EXPECT_EQ(view[LARGE - 1], 7);
    EXPECT_OK(CloseHandle(section));
    return 0;
}

CALL_TEST(SharedNames, need_no_room_for_what_has_them, in_own_place(little_room, NULL))

/* ---- Entries that are none of the library's -------------------------------------------------- */

static void expect_refused(void)
{
    EXPECT_FAILS(make_section("mine"), ERROR_ACCESS_DENIED);
    EXPECT_FAILS(find_section("mine"), ERROR_ACCESS_DENIED);
}

static int odd_entries(void *unused)
{
    char entry[600];
    struct stat status;
    int fd;
    HANDLE section = NULL;

    if (!own_place("/dev/shm"))
        return NO_PLACE;
    section = make_section("mine");
    EXPECT_OK(section != NULL);
    EXPECT_EQ(entries("/dev/shm", folder, sizeof folder), 1);
    EXPECT_EQ(entries(folder, entry, sizeof entry), 1);
    EXPECT_OK(CloseHandle(section));
    /* A link is not followed. */
    fd = open("/dev/shm/else", O_RDWR | O_CREAT, 0600);
    EXPECT_EQ(symlink("/dev/shm/else", entry), 0);
    expect_refused();
    EXPECT_EQ(fstat(fd, &status), 0);
    EXPECT_EQ(status.st_size, 0);
    EXPECT_EQ(unlink(entry), 0);
    close(fd);
    /* A folder or a pipe of that name is refused. */
    EXPECT_EQ(mkdir(entry, 0700), 0);
    expect_refused();
    EXPECT_EQ(rmdir(entry), 0);
    EXPECT_EQ(mkfifo(entry, 0600), 0);
    EXPECT_FAILS(make_section("mine"), ERROR_REVISION_MISMATCH);
    EXPECT_EQ(unlink(entry), 0);
    /* A file of another version is refused, while a process has it and when none has. */
    fd = open(entry, O_RDWR | O_CREAT, 0600);
    EXPECT_EQ(flock(fd, LOCK_SH), 0);
    EXPECT_FAILS(make_section("mine"), ERROR_REVISION_MISMATCH);
    EXPECT_FAILS(find_section("mine"), ERROR_REVISION_MISMATCH);
    EXPECT_EQ(flock(fd, LOCK_EX), 0);
    expect_refused();
    close(fd);
    section = make_section("mine");
    EXPECT_OK(section != NULL);
    EXPECT_EQ(GetLastError(), ERROR_SUCCESS);
    EXPECT_OK(CloseHandle(section));
    return 0;
}

CALL_TEST(SharedNames, are_no_links_or_other_things, in_own_place(odd_entries, NULL))

static int make_as_nobody(void)
{
    if (setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY))
        return 100;
    return make_mine() ? (int)GetLastError() : 0;
}

/* The name's maker was killed before it gave the file its mode, under an umask that takes all. */
static int unfinished(void *unused)
{
    char entry[600];

    if (!own_place("/dev/shm"))
        return NO_PLACE;
    other_process(make_as_nobody, 0);
    EXPECT_EQ(entries("/dev/shm", folder, sizeof folder), 1);
    EXPECT_EQ(entries(folder, entry, sizeof entry), 1);
    EXPECT_EQ(truncate(entry, 0), 0);
    EXPECT_EQ(chmod(entry, 0), 0);
    other_process(make_as_nobody, 0);
    return 0;
}

CALL_TEST(SharedNames, are_made_where_one_was_left_unfinished, in_own_place(unfinished, NULL))

/* ---- Texts ----------------------------------------------------------------------------------- */

enum { LONGEST = 260 };

TEST(SharedNames, of_any_letters_and_up_to_a_length)
{
    char name[LONGEST + 2];
    HANDLE first;
    HANDLE second;
    int begins = snprintf(name, sizeof name, "../umsshim/%d\n%%", (int)getpid());

    memset(name + begins, '/', sizeof name - (size_t)begins);
    name[LONGEST + 1] = 0;
    EXPECT_FAILS(make_section(name), ERROR_FILENAME_EXCED_RANGE);
    EXPECT_FAILS(find_section(name), ERROR_FILENAME_EXCED_RANGE);
    name[LONGEST] = 0;
    first = make_section(name);
    ASSERT_OK(first != NULL);
    EXPECT_EQ(GetLastError(), ERROR_SUCCESS);
    name[LONGEST - 1] = 'x'; /* far behind what a file is called by */
    EXPECT_FAILS(find_section(name), ERROR_FILE_NOT_FOUND);
    second = make_section(name);
    ASSERT_OK(second != NULL);
    EXPECT_EQ(GetLastError(), ERROR_SUCCESS);
    EXPECT_OK(CloseHandle(first));
    EXPECT_OK(CloseHandle(second));
    EXPECT_FAILS(make_section("a\\b"), ERROR_PATH_NOT_FOUND);
    EXPECT_FAILS(find_section(""), ERROR_FILE_NOT_FOUND);
}
