/* SPDX-License-Identifier: MIT
 *
 * fork.c - frees the locks in a child after fork: the threads that held them do not exist there.
 */
#include <pthread.h>

#include "platform/linux/async/fd_watch.h"
#include "winapi/linux/address_space.h"
#include "winapi/linux/atom.h"
#include "winapi/linux/changes.h"
#include "winapi/linux/child_process.h"
#include "winapi/linux/console.h"
#include "winapi/linux/control_handler.h"
#include "winapi/linux/crt_descriptor.h"
#include "winapi/linux/deletion.h"
#include "winapi/linux/directory_changes.h"
#include "winapi/linux/exception.h"
#include "winapi/linux/file_lock.h"
#include "winapi/linux/file_share.h"
#include "winapi/linux/heap.h"
#include "winapi/linux/job.h"
#include "winapi/linux/overlapped.h"
#include "winapi/linux/movable.h"
#include "winapi/linux/multimedia_time.h"
#include "winapi/linux/pipe.h"
#include "winapi/linux/slots.h"

static void in_child(void)
{
    heaps_forget();
    slots_forget();
    address_space_forget();
    control_handlers_forget();
    vectored_forget();
    console_title_forget();
    atoms_forget();
    children_forget();
    jobs_forget();
    fd_watch_forget();
    changes_forget();
    directory_changes_forget();
    descriptors_forget();
    deletions_forget();
    file_shares_forget();
    file_locks_forget();
    overlapped_forget();
    pipes_forget();
    movable_forget();
    multimedia_timers_forget();
}

static __attribute__((constructor)) void watch_forks(void)
{
    pthread_atfork(NULL, NULL, in_child);
}
