/* SPDX-License-Identifier: MIT
 *
 * shared_trouble.c - see shared_trouble.h.
 */
#include "platform/linux/dispatch/shared_trouble.h"

#include "platform/linux/dispatch/shared_folder.h"
#include "platform/linux/dispatch/shared_name.h"
#include "platform/linux/os/log_once.h"

int shared_trouble(int error)
{
    switch (error) {
    case FOLDER_NOT_OURS:
        plat_log_once("names of objects are known within this process only: the folder for them, "
                      "umsshim-UID-... in /dev/shm, is not this user's alone. Have its owner "
                      "remove it if processes are to share them");
        return SHARED_NOT;
    case FOLDER_HIDDEN:
        plat_log_once("an object is not found by its name: the process that has it cannot be "
                      "looked into (/proc/PID/fd). Give both the same privileges, and leave "
                      "PR_SET_DUMPABLE on");
        return 5;
    case FOLDER_FULL:
        plat_log_once("names of objects are known within this process only: /dev/shm is full. "
                      "Make room there if processes are to share them");
        return SHARED_NOT;
    case FOLDER_NOWHERE:
        plat_log_once("names of objects are known within this process only: there is no /dev/shm "
                      "and no /tmp to write to. Mount a tmpfs at /dev/shm if processes are to "
                      "share them");
        return SHARED_NOT;
    case FOLDER_NO_PROC:
        plat_log_once("names of objects are known within this process only: there is no /proc, "
                      "or that of another pid name space. Mount it if processes are to share them");
        return SHARED_NOT;
    case FOLDER_NO_LOCKS:
        plat_log_once("names of objects are known within this process only: flock is refused in "
                      "/dev/shm. Allow it if processes are to share them");
        return SHARED_NOT;
    case FOLDER_NO_SIZE:
        plat_log_once("names of objects are known within this process only: it may not write files "
                      "(RLIMIT_FSIZE). Let it have files of 64 KiB if processes are to share them");
        return SHARED_NOT;
    case FOLDER_OF_OTHERS:
        plat_log_once("names of new events, semaphores and mutexes are known within this process "
                      "only: it has another user than when it had the first. Have it become that "
                      "user before");
        return SHARED_NOT;
    case FOLDER_REFUSED:
        plat_log_once("names of events, semaphores and mutexes are known within this process only: "
                      "memfd_create, fallocate, seals or record locks (fcntl) are refused here. "
                      "Allow them if processes are to share them");
        return SHARED_NOT;
    case FOLDER_NO_NUMBER:
        return 4;
    default:
        return error;
    }
}
