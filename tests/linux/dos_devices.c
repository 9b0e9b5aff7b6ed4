/* SPDX-License-Identifier: MIT
 *
 * dos_devices.c - names such as NUL mean a device. No call by such a name ever deletes or replaces
 * a device.
 *
 * A library that gets this wrong destroys the machine when it runs as root. So all tests here run
 * in a child that cannot harm it. As root that child has a /dev of its own, with copies of the
 * devices. If that is impossible, and for other users, the child is a user that owns no device.
 *
 * modes: default
 */
#include <windows.h>

#include "child.h"
#include "gtest_c.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { LIMIT_MS = 20000, NOBODY = 65534 };

static char folder[64]; /* the child's current one, empty */

/* A terminal of the child's own: /dev/tty is one of the devices. */
static void get_terminal(void)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    int terminal = -1;

    setsid();
    if (master >= 0 && !grantpt(master) && !unlockpt(master))
        terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
    EXPECT_THAT(terminal >= 0 && ioctl(terminal, TIOCSCTTY, 0) == 0, "no terminal");
}

static int private_dev(void)
{
    struct stat before;
    struct stat after;

    if (stat("/dev", &before) || unshare(CLONE_NEWNS) ||
        mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("none", "/dev", "tmpfs", MS_NOSUID, NULL) || stat("/dev", &after) ||
        before.st_dev == after.st_dev)
        return 0;
    umask(0);
    return !mknod("/dev/null", S_IFCHR | 0666, makedev(1, 3)) &&
           !mknod("/dev/tty", S_IFCHR | 0666, makedev(5, 0));
}

/* False: nothing may be tried here. */
static int in_safety(void)
{
    snprintf(folder, sizeof folder, "/tmp/ums-devices-XXXXXX");
    EXPECT_OK(mkdtemp(folder) != NULL);
    EXPECT_OK(chown(folder, NOBODY, NOBODY) == 0 || geteuid() != 0);
    EXPECT_OK(chdir(folder) == 0);
    get_terminal();
    if (geteuid() != 0 || private_dev())
        return 1;
    EXPECT_OK(setresgid(NOBODY, NOBODY, NOBODY) == 0);
    return EXPECT_OK(setresuid(NOBODY, NOBODY, NOBODY) == 0) && geteuid() == NOBODY;
}

static void expect_device(const char *path, unsigned type, unsigned major_number,
                          unsigned minor_number)
{
    struct stat status;

    EXPECT_EQ(lstat(path, &status), 0);
    EXPECT_EQ(status.st_mode & S_IFMT, type);
    EXPECT_EQ(major(status.st_rdev), major_number);
    EXPECT_EQ(minor(status.st_rdev), minor_number);
    EXPECT_EQ(status.st_mode & 0777, 0666);
}

static void expect_all_there(const char *after)
{
    int before = tc_failures();

    expect_device("/dev/null", S_IFCHR, 1, 3);
    expect_device("/dev/tty", S_IFCHR, 5, 0);
    EXPECT_THAT(tc_failures() == before, "after %s", after);
}

static const char *const spellings[] = {
    "nul",        "NUL",         "Nul",          "nul.txt",      "nul.tar.gz",   "nul:",
    "NUL:x",      "nul ",        "nul . .",      "nul .txt",     "nul...",       "./nul",
    ".\\nul",     "C:nul",       "C:\\dir\\nul", "C:/dir/nul.x", "/no/such/nul", "\\dir\\NUL:",
    "\\\\.\\nul", "\\\\.\\NUL.", "//./nul",      "\\\\.\\nul ",  "\\\\?\\NUL",   "\\??\\NUL",
};

static const char *const consoles[] = {"CONIN$",      "conout$", "x\\conin$",
                                       "CONOUT$.txt", "conin$:", "\\\\.\\CONIN$",
                                       "CON",         "con.txt", "c:con"};

static const char *const reserved[] = {
    "AUX",         "aux.c",       "PRN",      "prn:",        "COM1",
    "com9.log",    "LPT1",        "dir/lpt9", "COM\xc2\xb9", "com\xc2\xb2.x",
    "LPT\xc2\xb3", "\\\\.\\COM1", "C:\\COM3", "\\\\.\\aux",  "\\\\.\\nul.txt",
    "com1 . txt"};

static const char *const ordinary[] = {"null", "nul_",        "xnul",    "COM0", "COM10",
                                       "COM",  "LPTA",        "con-x",   " nul", "conin",
                                       "aux1", "COM\xc2\xb4", "nul.d/x", "x.nul"};

static HANDLE open_as(const char *name, DWORD access, DWORD disposition, DWORD flags)
{
    return CreateFileA(name, access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                       disposition, flags, NULL);
}

/* Everything that a program can do to a name, whatever it gives. */
static void try_all(const char *name)
{
    static const DWORD flags[] = {0, FILE_FLAG_DELETE_ON_CLOSE, FILE_ATTRIBUTE_READONLY,
                                  FILE_FLAG_DELETE_ON_CLOSE | FILE_FLAG_BACKUP_SEMANTICS};
    static const DWORD accesses[] = {0, GENERIC_READ, GENERIC_WRITE, GENERIC_READ | GENERIC_WRITE,
                                     DELETE};
    WCHAR wide[64];

    if (tc_failures())
        return; /* a device is gone: nothing after that is worth telling */
    DeleteFileA(name);
    expect_all_there(name);
    for (DWORD disposition = CREATE_NEW; disposition <= TRUNCATE_EXISTING; disposition++) {
        for (size_t f = 0; f < sizeof flags / sizeof *flags; f++) {
            for (size_t a = 0; a < sizeof accesses / sizeof *accesses; a++) {
                HANDLE file = open_as(name, accesses[a], disposition, flags[f]);

                if (file != INVALID_HANDLE_VALUE)
                    EXPECT_OK(CloseHandle(file));
                expect_all_there(name);
            }
        }
    }
    for (size_t i = 0; i == 0 || name[i - 1]; i++)
        wide[i] = (WCHAR)name[i];
    DeleteFileW(wide);
    expect_all_there(name);
}

#define EACH(name, names)                                                                          \
    for (size_t i_ = 0; i_ < sizeof names / sizeof *names; i_++)                                   \
        for (const char *name = names[i_]; name; name = NULL)

static int nothing_happens(void *unused)
{
    if (!in_safety())
        return 1;
    EACH(name, spellings)
    {
        try_all(name);
    }
    EACH(name, consoles)
    {
        try_all(name);
    }
    try_all("/dev/null"); /* the system's own names */
    try_all("/dev/tty");
    try_all("\\dev\\null");
    EXPECT_OK(symlink("/dev/null", "link") == 0);
    EXPECT_OK(
        CloseHandle(open_as("link", GENERIC_WRITE, CREATE_ALWAYS, FILE_FLAG_DELETE_ON_CLOSE)));
    expect_all_there("a link");
    EXPECT_OK(DeleteFileA("link")); /* the link itself, which is a file like any other */
    expect_all_there("a link's end");
    EXPECT_OK(chdir("/") == 0);
    EXPECT_EQ(rmdir(folder), 0); /* nothing was made */
    return 0;
}

CALL_TEST(DosDevices, no_device_is_deleted_or_replaced,
          EXPECT_IN_CHILD(nothing_happens, NULL, LIMIT_MS))

static void expect_refused(const char *name, DWORD disposition, DWORD error)
{
    SetLastError(SENTINEL);
    EXPECT_EQ(open_as(name, GENERIC_READ, disposition, 0), INVALID_HANDLE_VALUE);
    EXPECT_EQ(GetLastError(), error);
}

static int as_documented(void *unused)
{
    DWORD count = 77;

    if (!in_safety())
        return 1;
    EACH(name, spellings)
    {
        int before = tc_failures();
        HANDLE file = open_as(name, GENERIC_READ | GENERIC_WRITE, CREATE_ALWAYS, 0);

        EXPECT_NE(file, INVALID_HANDLE_VALUE);
        EXPECT_OK(WriteFile(file, "gone", 4, &count, NULL));
        EXPECT_EQ(count, 4);
        EXPECT_EQ(GetFileType(file), FILE_TYPE_CHAR);
        EXPECT_OK(CloseHandle(file));
        EXPECT_FAILS(DeleteFileA(name), ERROR_INVALID_PARAMETER);
        expect_refused(name, CREATE_NEW, ERROR_FILE_EXISTS);
        EXPECT_THAT(tc_failures() == before, "\"%s\"", name);
    }
    EACH(name, consoles)
    {
        int before = tc_failures();
        HANDLE file = open_as(name, GENERIC_READ, OPEN_EXISTING, 0);

        EXPECT_NE(file, INVALID_HANDLE_VALUE);
        EXPECT_OK(GetConsoleMode(file, &count));
        EXPECT_OK(CloseHandle(file));
        EXPECT_FAILS(DeleteFileA(name), ERROR_INVALID_PARAMETER);
        EXPECT_THAT(tc_failures() == before, "\"%s\"", name);
    }
    SetLastError(SENTINEL); /* CON is one of the two, so one access has to be asked for */
    EXPECT_EQ(open_as("CON", GENERIC_READ | GENERIC_WRITE, OPEN_EXISTING, 0), INVALID_HANDLE_VALUE);
    EXPECT_EQ(GetLastError(), ERROR_FILE_NOT_FOUND);
    EACH(name, reserved)
    {
        int before = tc_failures();

        for (DWORD disposition = CREATE_NEW; disposition < TRUNCATE_EXISTING; disposition++)
            expect_refused(name, disposition, ERROR_FILE_NOT_FOUND);
        EXPECT_FAILS(DeleteFileA(name), ERROR_FILE_NOT_FOUND);
        EXPECT_THAT(tc_failures() == before, "\"%s\"", name);
    }
    EXPECT_EQ(chdir("/"), 0);
    EXPECT_EQ(rmdir(folder), 0);
    return 0;
}

CALL_TEST(DosDevices, each_name_means_its_device, EXPECT_IN_CHILD(as_documented, NULL, LIMIT_MS))

static int files(void *unused)
{
    if (!in_safety())
        return 1;
    EXPECT_EQ(mkdir("nul.d", 0777), 0);
    EACH(name, ordinary)
    {
        int before = tc_failures();
        HANDLE file = open_as(name, GENERIC_WRITE, CREATE_NEW, 0);

        EXPECT_NE(file, INVALID_HANDLE_VALUE);
        EXPECT_EQ(GetFileType(file), FILE_TYPE_DISK);
        EXPECT_OK(CloseHandle(file));
        EXPECT_OK(access(name, F_OK) == 0);
        EXPECT_OK(DeleteFileA(name));
        EXPECT_THAT(tc_failures() == before, "\"%s\"", name);
    }
    EXPECT_EQ(rmdir("nul.d"), 0);
    EXPECT_EQ(chdir("/"), 0);
    EXPECT_EQ(rmdir(folder), 0);
    return 0;
}

CALL_TEST(DosDevices, names_that_only_look_like_it_are_files,
          EXPECT_IN_CHILD(files, NULL, LIMIT_MS))

/* What lies in /dev is left alone but for plain files; elsewhere pipes and sockets are files. */
static int pipes(void *unused)
{
    struct stat status;
    HANDLE file;

    if (!in_safety())
        return 1;
    EXPECT_EQ(mkfifo("fifo", 0666), 0);
    EXPECT_OK(DeleteFileA("fifo"));
    file = open_as("once", GENERIC_WRITE, CREATE_NEW, FILE_FLAG_DELETE_ON_CLOSE);
    EXPECT_EQ(rename("once", "moved"), 0); /* and another one has its name */
    EXPECT_OK(CloseHandle(open_as("once", GENERIC_WRITE, CREATE_NEW, 0)));
    EXPECT_OK(CloseHandle(file));
    EXPECT_EQ(lstat("once", &status), 0);
    EXPECT_EQ(lstat("moved", &status), -1);
    EXPECT_OK(DeleteFileA("once"));
    EXPECT_EQ(mkdir("sub", 0777), 0);
    EXPECT_OK(CloseHandle(open_as("sub", GENERIC_READ, OPEN_EXISTING,
                                  FILE_FLAG_DELETE_ON_CLOSE | FILE_FLAG_BACKUP_SEMANTICS)));
    EXPECT_EQ(lstat("sub", &status), -1);
    if (geteuid() == 0) { /* with a /dev of its own */
        EXPECT_EQ(mkfifo("/dev/fifo", 0666), 0);
        EXPECT_FAILS(DeleteFileA("/dev/fifo"), ERROR_ACCESS_DENIED);
        EXPECT_EQ(symlink("null", "/dev/link"), 0);
        EXPECT_FAILS(DeleteFileA("/dev/link"), ERROR_ACCESS_DENIED);
        EXPECT_FAILS(DeleteFileA("/dev/./link"), ERROR_ACCESS_DENIED);
        EXPECT_OK(CloseHandle(open_as("/dev/file", GENERIC_WRITE, CREATE_NEW, 0)));
        EXPECT_OK(DeleteFileA("/dev/file"));
    }
    EXPECT_EQ(chdir("/"), 0);
    EXPECT_EQ(rmdir(folder), 0);
    return 0;
}

CALL_TEST(DosDevices, what_is_deleted_is_the_file_that_was_meant,
          EXPECT_IN_CHILD(pipes, NULL, LIMIT_MS))
