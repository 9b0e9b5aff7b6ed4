# SPDX-License-Identifier: MIT
# mutants_shared.py - more ways to break the Linux engine, as in mutants.py: what threads and processes share. Locks, handles,
# waits that others end, pools, names, calls for disks, processor time, lanes, and who watches for faults.

ENGINE = "platform/linux/"
OS = ENGINE + "os/"
DISPATCH = ENGINE + "dispatch/"
POOLS = ENGINE + "pool/"
SWITCH = ENGINE + "switch/"
TRAPS = ENGINE + "traps/"

LOCK = ["unit_lock *"]
HANDLES = ["unit_handle_table *"]
WAIT_ENDS = ["unit_wait_ends *"]
POOL = ["unit_pool *"]
NAMES = ["linux_shared_names *", "linux_shared_name_holders *", "linux_shared_name_children *", "linux_shared_name_places *"]
CLOCKS = ["unit_cpu_time *"]
FAULTS = ["unit_fault_watch *"]
LANES = ["unit_lanes *"]
DISKS = ["linux_overlapped_operations * UMSSHIM_RING=0", "api_win32_overlapped_files * UMSSHIM_RING=0"]

MORE_MUTANTS = [
    # locks
    ("who sleeps for a lock does not say so", LOCK, OS + "lock.c", "&lock->word, &word, word + LOCK_SLEEPER,", "&lock->word, &word, word,"),
    ("nobody is fenced before the last look at a lock", LOCK, OS + "lock.c",
     "    RAW3(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);\n    return true;", "    return true;"),
    ("who has slept for a lock goes on counting", LOCK, OS + "lock.c", "while (!try_for(lock, LOCK_SLEEPER)) {", "while (!try_for(lock, 0)) {"),
    ("sleepers are counted beyond their room", LOCK, OS + "lock.c",
     "        if (word / LOCK_SLEEPER == MOST_SLEEPERS)\n            return false;\n", "        (void)0;\n"),
    ("a refused membarrier is taken for one", LOCK, OS + "lock.c", "&plat_locks_fenced, r == 0,", "&plat_locks_fenced, true,"),
    ("a lasting lock is released without a look at its sleepers", LOCK, ENGINE + "plat_types.h",
     "if (__builtin_expect(atomic_load_explicit(&lock->sleepers, memory_order_relaxed) != 0, 0))", "if (false)"),

    # overlapped operations on disks
    ("a packet that is to be skipped comes", ["api_win32_overlapped_files *"], "winapi/linux/overlapped_end.c",
     "    if (modes & FILE_SKIP_COMPLETION_PORT_ON_SUCCESS) {\n        at_once_spare(packet);", "    if (false) {\n        at_once_spare(packet);"),
    ("a read ends with what the page cache has", ["linux_whole_reads *"], "winapi/linux/overlapped_file.c",
     "        return is_whole(operation, result);\n    bool ends", "        return is_whole(operation, result), true;\n    bool ends"),

    # handles
    ("a handle that is another object's by now locks its old one", HANDLES, DISPATCH + "handle.h",
     "if (UMS_LIKELY(handle_object_in(entry) == object))", "if (true)"),
    ("the second look at a handle is the last", HANDLES, DISPATCH + "handle.c", "if (handle_find(handle, self) == object)", "if (true)"),
    ("two threads close one handle", HANDLES, DISPATCH + "handle.c", "        if (handle_object_in(entry) == object) {", "        if (true) {"),
    ("a handle is closed though another thread has, as its name was waited for", HANDLES, DISPATCH + "handle.c",
     "    if (handle_object_in(entry) == object && name", "    if (name"),
    ("a name that has gone is taken away again", HANDLES, DISPATCH + "handle.c",
     "handle_object_in(entry) == object && name_place_of(object) == place)", "handle_object_in(entry) == object)"),
    ("a handle's last reference closes nothing", HANDLES, DISPATCH + "handle.c",
     "        object->closed(object);\n        object_drop(object);", "        object_drop(object);"),
    ("in a child stripes of handles are locked", HANDLES, DISPATCH + "handle.c", "        plat_lock_forget(&stripes[i].lock);\n", ""),

    # how waits end
    ("time ends a wait that was decided", WAIT_ENDS, DISPATCH + "wait.c", "bool mine = !wait->decided;", "bool mine = true;"),
    ("a timer that came too late says nothing", WAIT_ENDS, DISPATCH + "wait.c",
     "        atomic_store_explicit(&wait->timer_done, 1, memory_order_release);\n", ""),
    ("a timer that reads the wait is not waited for", WAIT_ENDS, DISPATCH + "wait.c",
     "        while (!atomic_load_explicit(&wait->timer_done, memory_order_acquire))\n            futex_wait(&wait->timer_done, 0);\n", "        return;\n"),
    ("procedures end any wait", WAIT_ENDS, DISPATCH + "wait.c", "(wait->alertable &&\n            atomic_load", "(atomic_load"),
    ("procedures end any wait for any", WAIT_ENDS, DISPATCH + "wait.c", "by_procedure ? SEAT_ALERTABLE : 0", "0"),
    ("a wait ends that has no procedures to call", WAIT_ENDS, DISPATCH + "wait.c",
     "    if (by_procedure && !atomic_load_explicit(&thread->first_apc, memory_order_relaxed))\n        return false;\n", ""),
    ("another thread's wait at the object ends", WAIT_ENDS, DISPATCH + "wait.c",
     "    while (block && block->wait->thread != thread)\n        block", "    while (false)\n        block"),
    ("another thread's wait at the address ends", WAIT_ENDS, DISPATCH + "wait.c",
     "    while (wait && wait->thread != thread)\n        wait", "    while (false)\n        wait"),
    ("a waiter that handles a signal has no reference", WAIT_ENDS, DISPATCH + "wait.c",
     "    if (result == WAITED_SIGNAL)\n        object->refs++; /* for the waiter */\n", ""),
    ("a worker's wait cannot be cleared away", WAIT_ENDS, DISPATCH + "wait.c", "        worker->thread->armed = wait;\n", ""),
    ("a wait that is over can be cleared away", WAIT_ENDS, DISPATCH + "wait.c",
     "        wait_disarm_timer(wait);\n        plat_tls.thread->armed = NULL;\n", "        wait_disarm_timer(wait);\n"),
    ("a worker leaves though it was let go", WAIT_ENDS, DISPATCH + "wait.c",
     "    return !(atomic_fetch_or_explicit(&wait->sitter->word, SEAT_PARKED, memory_order_acq_rel) &\n             SEAT_OPEN);",
     "    atomic_fetch_or_explicit(&wait->sitter->word, SEAT_PARKED, memory_order_acq_rel);\n    return true;"),
    ("a thread goes on while its wait is in another's hands", WAIT_ENDS, DISPATCH + "wait.c",
     "        if (decide(wait, WAITED_TIMEOUT))\n            break;\n", "        decide(wait, WAITED_TIMEOUT);\n        break;\n"),

    # pools
    ("a pool grows whatever goes on", POOL, POOLS + "pool.c", "if (pool->begun == pool->begun_at_tick && allowed", "if (allowed"),
    ("a pool whose callbacks wait for each other does not grow", POOL, POOLS + "pool.c", "pool->grown += pool->threads / 2 + 1;", "(void)0;"),
    ("a pool has more threads than its maximum", POOL, POOLS + "pool.c", "return threads < pool->maximum ? threads : pool->maximum;", "return threads;"),
    ("a callback that runs long takes a thread from the others", POOL, POOLS + "pool.c", "    pool->longs += !call->runs_long;\n", ""),
    ("a pool's thread sleeps over what was submitted", POOL, POOLS + "pool.c",
     "    _Atomic uint32_t *work = &pool->work;\n    atomic_fetch_add_explicit(work, 1, memory_order_release);\n    plat_unlock(&pool->lock);\n    if (wake)",
     "    _Atomic uint32_t *work = &pool->work;\n    plat_unlock(&pool->lock);\n    if (wake)"),
    ("an idle thread of a pool is not woken", ["api_win32_thread_pool *", "linux_pool_threads *"], POOLS + "pool.c",
     "    bool wake = pool->idle;\n", "    bool wake = false;\n"),
    ("a pool's thread sleeps over its pool's end", POOL, POOLS + "pool.c",
     "    atomic_fetch_add_explicit(work, 1, memory_order_release);\n    pool_leave(pool);", "    pool_leave(pool);"),
    ("a pool goes while its tick is set", POOL, POOLS + "pool.c", "!pool->coming && !pool->ticking;", "!pool->coming;"),
    ("a child's pool has its parent's threads", POOL, POOLS + "pool.c",
     "pool->queued = pool->threads = pool->coming = pool->idle = pool->longs = 0;", "pool->queued = 0;"),
    ("an item with a callback to be made is idle", POOL, POOLS + "pool_item.c",
     "    if (pool_item_busy(item))\n        return false;\n", "    if (item->running)\n        return false;\n"),
    ("who waits for callbacks waits for later ones, too", POOL, POOLS + "pool_item.c", "    while (still_busy(&wait))\n",
     "    while (still_busy(&wait) || pool_item_busy(item))\n"),
    ("a callback that was taken back is the line's end", POOL, "platform/chain.h",
     "        *((item)->next ? &(item)->next->previous : &(chain)->last) = (item)->previous;",
     "        if ((item)->next) (item)->next->previous = (item)->previous;"),
    ("callbacks that were taken back count as asked for", POOL, POOLS + "pool_item.c", "        item->pool->queued -= count;\n", ""),
    ("an item that has gone is in its group", POOL, POOLS + "pool_item.c", "    if (item->grouped)\n        leave_group(item);\n", "    (void)leave_group;\n"),
    ("a group does not wait for callbacks that left their thread", POOL, POOLS + "pool_item.c", "        wait_for_dissociated(item);\n",
     "        (void)wait_for_dissociated;\n"),

    # names that processes share
    ("a child is in its parent's place among a name's holders", NAMES, DISPATCH + "shared_name.c", " && !add_entry(name);", ";"),
    ("the last holder of a name leaves its file", NAMES, DISPATCH + "shared_name.c",
     "    if (there)\n        folder_remove_unused(folder, name->fd, name->file, name->user);\n", "    (void)there;\n"),
    ("a name's file is as the umask says", NAMES, DISPATCH + "shared_name.c",
     "    RAW2(SYS_fchmod, name->fd, 0600); /* whatever the umask is */\n", ""),
    ("an object is had from the first holder only", NAMES, DISPATCH + "shared_name.c",
     "            if (result != -ENOENT)\n                error = result;\n", "            return result;\n"),
    ("names are changed whoever has the folder locked", ["linux_shared_name_places *"], DISPATCH + "shared_name.c",
     "    if (folder_lock(folder, LOCK_EX)) {\n", "    if (false) {\n"),
    ("a child's end takes the name from its parent", NAMES, DISPATCH + "shared_name.c",
     "    if (name->process != own_pid())\n        return;\n", ""),

    # disks, where there is no ring
    ("the line for disks ends in a call that was made", DISKS, ENGINE + "async/async_disk.c",
     "        if (!first)\n            end = &first;\n", ""),
    ("a disk thread is not woken", DISKS, ENGINE + "async/async_disk.c", "    plat_unlock(&lock);\n    futex_wake(&work, 1);\n", "    plat_unlock(&lock);\n"),
    ("nobody is told what a disk thread has made", DISKS, ENGINE + "async/async_disk.c", "        continue;\n    async_wake();\n", "        continue;\n"),
    ("calls that were made for disks are made again", DISKS, ENGINE + "async/async_disk.c",
     "atomic_exchange_explicit(&over, NULL, memory_order_acquire)", "atomic_load_explicit(&over, memory_order_acquire)"),

    # processor time
    ("time is read as if no switch came between", CLOCKS, SWITCH + "cpu_time.c",
     "            before == atomic_load_explicit(&account->sequence, memory_order_relaxed)) {\n", "            true) {\n"),
    ("time is read in the midst of a change", CLOCKS, SWITCH + "cpu_time.c", "        if (before % 2 == 0 &&\n", "        if (true &&\n"),
    ("schedulers of before the first question are not counted", CLOCKS, SWITCH + "cpu_time.c",
     "        __atomic_store_n(&at->loaded, NULL, __ATOMIC_RELAXED);\n    plat_unlock", "        (void)at;\n    plat_unlock"),
    ("schedulers of after the first question are not counted", CLOCKS, SWITCH + "cpu_time.c",
     "    if (is_counting() || trace_recording())\n        __atomic", "    if (trace_recording())\n        __atomic"),
    ("a worker's time is its scheduler's, too", CLOCKS, SWITCH + "cpu_time.c",
     "        start_at(scheduler, scheduler->tid, -1, now);\n", "        (void)0;\n"),
    ("what a scheduler used is forgotten when it leaves", CLOCKS, SWITCH + "cpu_time.c",
     "    scheduler->thread->times.carried_total = (uint64_t)load(&scheduler->cpu.total);\n", ""),
    ("a scheduler that has left is among them", CLOCKS, SWITCH + "cpu_time.c",
     "    if (*link) /* else this process was forked in its entry point */\n        *link = scheduler->runs.next_entered;\n", ""),
    ("a child's time is counted from its birth", CLOCKS, SWITCH + "cpu_time.c",
     "    schedulers = NULL;\n    atomic_store_explicit(&counting, false, memory_order_relaxed);\n", "    schedulers = NULL;\n"),

    # sleeps that no filter stops
    ("who watches for faults rests for good", FAULTS, TRAPS + "fault_watch.c",
     "    if (atomic_load(&resting) && atomic_exchange(&resting, false))\n        wake_watch(LOOK);\n", ""),
    ("who watches for faults does not ask once more before it rests", FAULTS, TRAPS + "fault_watch.c",
     "    schedulers_each(ask_awake, &awake);\n", "    (void)ask_awake;\n"),
    ("a sleep is taken at the first look", FAULTS, TRAPS + "fault_watch.c",
     "    } else if (!look->seen && !fault_place_same(before, &place)) {\n", "    } else if (false) {\n"),
    ("a worker that sleeps elsewhere by now is taken", FAULTS, TRAPS + "fault_watch.c",
     "unseen(suspect->carrier->tid, &now) && fault_place_same(&now, &suspect->place) &&\n", "unseen(suspect->carrier->tid, &now) &&\n"),
    ("a worker that has woken up is taken", FAULTS, TRAPS + "fault_watch.c",
     "if (!stays(suspect) || !change(suspect, said, FAULT_TAKEN))", "if (!stays(suspect) || (change(suspect, said, FAULT_TAKEN), false))"),
    ("a worker that has a lock is taken", FAULTS, TRAPS + "fault_watch.c", "    return !tls->locks && !tls->ending &&\n", "    return !tls->ending &&\n"),
    ("an offer that was not taken stays", FAULTS, TRAPS + "fault_watch.c",
     "    change(suspect, FAULT_OFFERED, FAULT_NO);\n    return false;", "    return false;"),
    ("a sleep that was taken is not given", FAULTS + ["linux_page_faults * UMSSHIM_FAULTS=1"], TRAPS + "fault_watch.c",
     "    atomic_store_explicit(&worker->fault.lent, FAULT_GIVEN, memory_order_release);\n", ""),
    ("what a lent call lends is not taken", ["linux_lent_calls * UMSSHIM_FAULTS=1"], TRAPS + "fault_watch.c",
     "        return accept_it(suspect, FAULT_LENT);\n", "        return false;\n"),

    # lanes are made
    ("a lane without a carrier for each hosts all the same", LANES, TRAPS + "lanes.c",
     "lane->hosting.carriers + lane->hosting.coming >= lane->hosting.schedulers", "true"),
    ("a lane is full of schedulers that have left", LANES, TRAPS + "lanes.c",
     "    lane->hosting.schedulers--;\n", ""),
    ("schedulers are crowded into one lane", LANES, TRAPS + "lanes.c", "if (best < 0 || n < load) {", "if (best < 0) {"),
    ("carriers on their way do not count", LANES, TRAPS + "lanes.c", "lane->hosting.idle_count + lane->hosting.coming >=", "lane->hosting.idle_count >="),
    ("a carrier that could not be made is on its way", LANES, TRAPS + "lanes.c", "        lane->hosting.coming -= error != 0;\n", ""),
    ("calls are notified where nobody may answer", LANES, TRAPS + "lanes.c", "    if (tried < 0)\n        return tried;\n", ""),
    ("a reactor that is being made is not known", LANES, TRAPS + "lanes.c",
     "    if (lane && lane->reactor_tid == tid)\n        return true;\n    for", "    for"),
    ("the reactor of a lane that cannot be made waits on", LANES, TRAPS + "lanes.c", "        let_reactor_go(lane, REACTOR_ENDS);\n", ""),
    ("a duplicate that comes to a number of a lane's moves nothing", ["linux_own_descriptors *"], TRAPS + "lanes.c",
     "moved = lanes[cpu] && watched_move(lanes[cpu], number);", "moved = false;"),
    ("the child has its parent's listener open", LANES, TRAPS + "lanes.c", "        own_file_close(lane->listener);\n", "\n"),
]
