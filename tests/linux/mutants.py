# SPDX-License-Identifier: MIT
# mutants.py - ways to break the Linux engine, for mutate.py: a name, the tests that are meant to notice (a program
# without "test_", then a filter, then settings), a file, the text that is there once, and what to put in its place.

from mutants_calls import CALL_MUTANTS
from mutants_shared import MORE_MUTANTS

ENGINE = "platform/linux/"
CALLS = ENGINE + "calls/"
TRAPS = ENGINE + "traps/"
SWITCH = ENGINE + "switch/"
DISPATCH = ENGINE + "dispatch/"
LIBC = ENGINE + "libc/"
OS = ENGINE + "os/"
THREADS = ENGINE + "threads/"

NOTIFY = " UMSSHIM_DETECT=notify UMSSHIM_FRONT=0"
TRAPPED = " UMSSHIM_DETECT=traps UMSSHIM_FRONT=0"

SIGNALS = ["linux_signal_eintr *", "linux_notify_signal_storm *" + NOTIFY]
TIMERS = ["unit_timer_heap *"]
LANE = ["unit_lane *"]
FUTEXES = ["unit_futex_table *", "linux_futex_tokens *", "linux_futexes *", "linux_futex_ends *"]
FORKS = ["unit_forked *", "linux_child_begins_anew *", "linux_fork_from_worker *", "linux_forked_child_ends *"]
FILES = ["linux_blocking_files *", "stress_random_work *"]
ENDS = ["linux_terminate_blocked *", "stress_random_stops *"]
WAITERS = ["unit_waiters *"]
WAITS = WAITERS + ["api_win32_wait_many *", "api_win32_wait_races *", "stress_random_waits *"]
STOCK = ["unit_home_stock *"]
BIRTHS = STOCK + ["linux_births *", "linux_few_threads *"]
HELPERS = ["unit_helper *"]
MESSENGER = ["unit_messenger *"]
REACTOR = ["unit_reactor *"]
POLLER = ["unit_poller *"]
WATCHED = ["unit_watched *"]
FILE_SLEEP = ["unit_file_sleep *"]
SET_SLEEP = ["unit_set_sleep *"]
CARRIER = ["unit_carrier *"]
HOME = ["unit_home *"]
AGAIN = ["linux_homes_again *"]
DESTRUCTORS = ["linux_worker_destructors *"]
STOP = ["unit_stop_handler *"]
SITE = ["unit_site_call *"]
DISK = ["unit_disk_file *"]
SITES = ["linux_call_sites *", "linux_module_sites *", "linux_led_sites *"]

MUTANTS = [
    # the reactor, its ring, and the messenger
    ("a message is taken for the call at which it finds its thread", MESSENGER,
     LIBC + "trap.c", "at + SYSCALL_BYTES == info->si_call_addr && nr == info->si_syscall", "true"),
    ("a message that has come is no call", MESSENGER + ["linux_blocking_files *" + NOTIFY], LIBC + "trap.c",
     "    return MESSAGE_CALL;", "    return MESSAGE_LATE;"),
    ("the thread goes on in front of its call", MESSENGER + ["linux_blocking_files *" + NOTIFY], LIBC + "trap.c",
     "    registers[REG_RIP] += SYSCALL_BYTES; /* as a trap's */\n", "\n"),
    ("messages that a mask stops are not looked after", MESSENGER,
     TRAPS + "messenger.c",
     "    if (notify_valid(lane->listener, oldest.id) && blocks_sigsys(oldest.tid))\n", "    if (false)\n"),
    ("a scheduler's own calls are sent back", MESSENGER,
     TRAPS + "messenger.c", "    return entry && n->nr != SYS_futex && !call_is_about_caller(entry);",
     "    return false;"),
    ("threads that carry nobody are sent messages", MESSENGER,
     TRAPS + "messenger.c", "    if (!carrier || (!carrier->context && !carrier->scheduler))\n        return true;\n",
     "    if (!carrier)\n        return true;\n"),
    ("the inbox is served from its newest", REACTOR, TRAPS + "reactor.c",
     "        newest->next = call;\n        call = newest;\n        newest = older;\n    }\n",
     "        newest->next = call;\n        call = newest;\n        newest = older;\n"
     "        if (call->next) {\n            struct call *last = call->next;\n            call->next = last->next;\n"
     "            last->next = call;\n            call = last;\n        }\n    }\n"),
    ("a call is posted without a word to the reactor", LANE + ["linux_blocking_waits *"],
     SWITCH + "lane.c", "    if (!head) {\n        uint64_t one = 1;\n", "    if (head) {\n        uint64_t one = 1;\n"),
    ("the ring watches its listener once", ["linux_blocking_files *" + NOTIFY], TRAPS + "reactor.c",
     "            messenger_receive(&messages, lane);\n            ring_watch_listener(lane);\n",
     "            messenger_receive(&messages, lane);\n"),
    ("the ring watches the inbox once", REACTOR,
     TRAPS + "reactor.c", "            ring_watch_wake_fd(lane);\n        } else if", "        } else if"),
    ("a cancelled request is never let go", REACTOR + ["linux_terminate_blocked *"],
     TRAPS + "reactor.c", "            ring_cancel(lane, call);\n", "            (void)lane;\n"),
    ("who waits for the queue of cancelled calls is not woken", REACTOR + ENDS, TRAPS + "reactor.c",
     "        atomic_store_explicit(&call->futex.in_cancel_queue, 0, memory_order_release);\n",
     "        atomic_store_explicit(&call->futex.in_cancel_queue, 1, memory_order_release);\n"),
    ("an answer to a cancelled call is final", REACTOR + ["linux_signal_eintr *"],
     TRAPS + "reactor.c", "        call_interrupt(call);\n        return;\n", "        call_complete(call, result);\n        return;\n"),
    ("a request has no time-out", ["linux_blocking_polls *", "linux_blocking_waits *"], CALLS + "ring.c",
     "    if (call->deadline != PLAT_FOREVER) {\n        sqe->flags", "    if (false) {\n        sqe->flags"),
    ("a time-out in the ring counts on the other clock", ["linux_blocking_waits *"], CALLS + "ring.c",
     "(call->realtime ? IORING_TIMEOUT_REALTIME : 0)", "(call->realtime ? 0 : IORING_TIMEOUT_REALTIME)"),

    # the poller and its files
    ("deferred calls are not asked after a write", POLLER, CALLS + "poller.c",
     "        n = ask(lane, &(struct choice){.most = ASKED_AT_ONCE}, written, &had_something);\n", "        n = 0;\n"),
    ("a write asks all, whoever it served before", POLLER, CALLS + "poller.c",
     "ask_partner(lane, written))\n", "0)\n"),
    ("a write whose partner is away asks nobody", POLLER, CALLS + "poller.c",
     "PARTNERS]++ % RARELY;\n", "PARTNERS]++ + 1;\n"),
    ("a call that was asked in vain is forgotten", POLLER, CALLS + "poller.c",
     "        else if (outcome == CALL_WAIT)\n            defer(lane, taken[i]);\n",
     "        else if (outcome == CALL_WAIT)\n            (void)0;\n"),
    ("the oldest that has no room is forgotten", POLLER,
     CALLS + "poller.c", "        if (oldest)\n            poller_arm(lane, oldest);\n", "        (void)oldest;\n"),
    ("deferred calls are not armed before the scheduler sleeps", POLLER,
     CALLS + "poller.c", "    arm_chosen(lane, &(struct choice){.age = 0});\n", "    (void)lane;\n"),
    ("the tick stops at once", POLLER, CALLS + "poller.c",
     "    bool again =\n        lane->deferral.since_tick || left || lane->deferral.count || some_are_slept_on(lane);\n",
     "    bool again = false;\n"),
    ("a call that is slept on is not held", FILE_SLEEP, CALLS + "poller.c",
     "        taken[n++] = *place;\n        *place = NULL;\n", "        taken[n++] = *place;\n"),
    ("a cancelled call stays slept on", FILE_SLEEP, CALLS + "file_sleep.c",
     "            call_interrupt(others[i]);\n", "            poller_defer_arming(lane, others[i]);\n"),
    ("a number is given away while its call is asked", FILE_SLEEP, CALLS + "poller.c",
     "        *choice->asked = is_asked(lane, choice);\n", "        *choice->asked = false;\n"),
    ("a copy to a waiting worker's stack goes beyond its end", ["unit_copy *"], "platform/linux/os/copy.c",
     "    return first >= low && first <= high && bytes <= high - first;\n", "    return first >= low && first <= high;\n"),
    ("a number is given away while a scheduler sleeps on its file", ["linux_reused_at_once *"], CALLS + "poller.c",
     "        .by_number = true, .slept_on = true, .asked = &asked,", "        .by_number = true, .asked = &asked,"),
    ("a sleeper is not told of another scheduler's calls", ["unit_file_sleep_join *"], CALLS + "file_sleep.c",
     "        bell_ring(lane, TOLD_OF_MORE);\n", "        ;\n"),
    ("a sleeper that is told of more has slept in vain", ["unit_file_sleep_join *"], CALLS + "file_sleep.c",
     "sleeper_told == TOLD_TO_LEAVE;", "sleeper_told != TOLD_NOTHING;"),
    ("a poll with too many files is tried again and again", FILE_SLEEP, CALLS + "file_sleep.c",
     "    if (n < 0 && n != -EINTR)\n", "    if (call_was_refused(n))\n"),
    ("a sleeper on files never polls the set", FILE_SLEEP, CALLS + "file_sleep.c",
     "armed ? lane->epoll : -1", "armed ? -1 : -1"),
    ("a poller rests though nobody polls the set", SET_SLEEP, CALLS + "poller_thread.c",
     "&lane->readiness.set_polled, memory_order_relaxed))", "&lane->readiness.slept_in_files, memory_order_relaxed))"),
    ("a hosted scheduler blocks its signals", SET_SLEEP, CALLS + "set_sleep.c",
     "*open = hosted ? NULL : &before;", "*open = &before;"),
    ("a deferred call that is cancelled stays", POLLER, CALLS + "poller.c",
     "        __atomic_store_n(&lane->deferral.count, n - 1, __ATOMIC_RELAXED);\n    plat_unlock(&lane->deferral.lock);\n    return at < n;\n",
     "        __atomic_store_n(&lane->deferral.count, n, __ATOMIC_RELAXED);\n    plat_unlock(&lane->deferral.lock);\n    return at < n;\n"),
    ("the next in a file's queue is not armed", WATCHED, CALLS + "watched.c",
     "        call = next;\n    }\n}\n\n/* With the lock `serving`", "        call = NULL;\n    }\n}\n\n/* With the lock `serving`"),
    ("a watched call has no file of its own", WATCHED, CALLS + "watched.c",
     "        front = true;\n        watch_hold(call, own);\n", "        front = true;\n"),
    ("the file of its own stays open", WATCHED, CALLS + "watched.c",
     "        own_file_let_go(call->watch.held, lane->cancel_fd);\n    }\n    watch_let_go(call);\n", "    }\n    watch_let_go(call);\n"),
    ("what was cancelled is not looked for", WATCHED, CALLS + "watched.c",
     "            call_interrupt(call);\n            became_ready(lane, next);\n", "            became_ready(lane, next);\n"),
    ("a poller that rests is not woken", SET_SLEEP, CALLS + "poller_thread.c",
     "        futex_wake(&lane->readiness.resting, 1);\n", "        (void)0;\n"),
    ("an event names whoever lies there now", WATCHED, CALLS + "watched.c",
     "__atomic_load_n(&call->watch.turn, __ATOMIC_ACQUIRE) == name >> NAME_ADDRESS_BITS", "true"),
    ("an event of one lane serves a call of another", WATCHED, CALLS + "watched.c",
     "    return same && __atomic_load_n(&call->lane, __ATOMIC_RELAXED) == lane ? call : NULL;\n", "    return same ? call : NULL;\n"),
    ("a kick that another fetches is lost", SET_SLEEP, CALLS + "watched.c",
     "    if (kicked)\n        watched_kick_on(lane);\n", ""),
    ("a call that is over is served again", WATCHED, CALLS + "watched.c",
     "    __atomic_store_n(&call->watch.turn, 0, __ATOMIC_RELAXED);\n", ""),
    ("who sleeps in the set does not say so", SET_SLEEP, CALLS + "set_sleep.c",
     "GO_BY + (uint32_t)lane->readiness.kick_fd", "GO_AWAKE"),

    # a lane, its spawner and carriers
    ("no carrier is made when few are left", LANE,
     SWITCH + "lane.c", "__atomic_load_n(&lane->hosting.idle_count, __ATOMIC_RELAXED) < LOW_WATER", "false"),
    ("the last of those that starve is lost", LANE, SWITCH + "lane.c",
     "        lane->hosting.starving_end = &scheduler->runs.next;\n        lane->hosting.starving_count++;\n", "        lane->hosting.starving_count++;\n"),
    ("an idle carrier stays on the list", LANE, SWITCH + "lane.c",
     "        lane->hosting.idle = carrier->next_idle;\n", "        (void)0;\n"),
    ("a carrier is not told of its scheduler", LANE + ["api_enter *"], SWITCH + "lane.c",
     "        atomic_store_explicit(&carrier->word, 1, memory_order_release);\n        futex_wake(&carrier->word, 1);\n", "\n"),
    ("a carrier does not follow its scheduler", CARRIER, SWITCH + "carrier.c",
     "    follow_affinity(carrier, scheduler);\n    niceness_take", "    niceness_take"),
    ("a carrier keeps the priority of its last scheduler", CARRIER, SWITCH + "carrier.c",
     "    niceness_take(&carrier->niceness, scheduler->runs.steps);\n", "\n"),
    ("a worker that ends does not wake its home", CARRIER + ["api_life_cycle *"], SWITCH + "carrier.c",
     "    atomic_store_explicit(&home->word, HOME_RETURN, memory_order_release);\n    futex_wake(&home->word, 1); /* the home may be gone: nobody",
     "    futex_wake(&home->word, 1); /* the home may be gone: nobody"),
    ("a scheduler that was left does not wake its home", CARRIER + ["api_enter *"], SWITCH + "carrier.c",
     "    struct home *home = scheduler->home;\n    atomic_store_explicit(&home->word, scheduler->runs.last_word, memory_order_release);\n",
     "    struct home *home = scheduler->home;\n"),
    ("a worker whose fault is over runs on beside its scheduler", ["linux_page_faults * UMSSHIM_FAULTS=1"],
     SWITCH + "carrier.c", "    if (scheduler && lane_unhost(scheduler->lane, scheduler, worker)) {\n", "    if (scheduler) {\n"),
    ("the worker does not look whether its wait is over", ["unit_baton *", "linux_immediate_completion *"],
     SWITCH + "baton.h",
     "    return atomic_compare_exchange_strong_explicit(&baton->word, &shut, BATON_WAITED,\n"
     "                                                   memory_order_acq_rel, memory_order_acquire);",
     "    (void)shut;\n    atomic_store(&baton->word, BATON_WAITED);\n    return true;"),
    ("who posts a baton queues a worker that has not left", ["unit_baton *", "stress_random_work *"],
     SWITCH + "baton.h", "    if (was == BATON_WAITED)\n", "    (void)was;\n    if (worker)\n"),
    ("a thread that waits at its baton is not woken", ["linux_futexes *", "linux_births *"], SWITCH + "baton.h",
     "    else if (!worker)\n        futex_wake(&baton->word, 1);", "    else if (worker)\n        futex_wake(&baton->word, 1);"),

    # homes and their stock
    ("a new home never arrives in the stock", BIRTHS, THREADS + "home_stock.c",
     "    home->next = stock->first;\n    stock->first = home;\n    stock->count++;\n", "\n"),
    ("a home is given to two workers", BIRTHS, THREADS + "home_stock.c", "        stock->first = home->next;\n        stock->count--;\n",
     "        stock->count--;\n"),
    ("a worker gets a home of another size", STOCK, THREADS + "home_stock.c",
     "stock->first && stock->first->stack_bytes == stack_bytes ? pop(stock) : NULL", "stock->first ? pop(stock) : NULL"),
    ("idle lanes keep their homes", STOCK, THREADS + "home_stock.c",
     "        stock->wanted = stock->kept = keep(stock->count);\n", "        stock->kept = 1;\n"),
    ("homes that are too many are not told to go", STOCK, THREADS + "home_stock.c",
     "        atomic_store_explicit(&home->word, HOME_DISMISSED, memory_order_release);\n", "\n"),
    ("where threads run out a stock waits for one", STOCK, THREADS + "home_stock.c",
     "    spare->coming = false;\n    stock->coming--;\n    stock->wanted = stock->count;\n", "\n"),
    ("more homes come back than a stock may have", STOCK, THREADS + "home_stock.c",
     "stock->stack_bytes == home->stack_bytes && stock->count + stock->coming < most", "stock->stack_bytes == home->stack_bytes"),
    ("a home of another size comes back", STOCK, THREADS + "home_stock.c",
     "return stock->stack_bytes == home->stack_bytes && stock", "return stock"),
    ("no home is used again", AGAIN, THREADS + "home_again.c", "if (!lane || ", "if (true || !lane || "),
    ("a used home keeps its worker's variables", AGAIN, THREADS + "home_renewal.c",
     "            renew_module(&home_layout.spans[i], home->fs_base);\n", "            (void)renew_module;\n"),
    ("a used home keeps its worker's errno", AGAIN, THREADS + "home_renewal.c",
     "    memset((char *)home->fs_base + home_layout.errno_at, 0, sizeof errno);\n", ""),
    ("a home is used again whatever its control block has", AGAIN, THREADS + "home_renewal.c",
     "block_sum(home, false) == home->block &&", "true &&"),
    ("a home is used again whatever libc's variables are", AGAIN, THREADS + "home_renewal.c",
     "variables_are_pristine(home) &&\n           kernels", "kernels"),
    ("a home is used again whatever it did for its worker", AGAIN, THREADS + "home_renewal.c",
     "home->renewable && !home->errands && home->affinity", "home->renewable && home->affinity"),
    ("a home is used again whatever the kernel keeps for it", AGAIN, THREADS + "home_renewal.c",
     " && kernels_is_as_before(home);", " && (kernels_is_as_before(home) || true);"),
    ("an object's destructor runs at the home's end only", DESTRUCTORS, THREADS + "home_again.c",
     "        objects_destroy();\n", ""),
    ("keys are destroyed before the last objects", DESTRUCTORS, THREADS + "home_again.c",
     "        if (!plat_tls.objects.libcs)", "        if (true)"),
    ("an object that another module makes overtakes ours", DESTRUCTORS, THREADS + "thread_objects.c",
     "    if (plat_tls.objects.go)\n        hand_over();\n", "    (void)hand_over;\n"),
    ("objects of modules that may go are ours", DESTRUCTORS, THREADS + "thread_objects.c",
     "    if (!home_layout_came_with_program(dso))\n        return false;\n", "    (void)dso;\n"),
    ("destructors of keys get one round", DESTRUCTORS, THREADS + "thread_keys.c",
     "    for (int round = 0; more && round < PTHREAD_DESTRUCTOR_ITERATIONS; round++) {", "    for (int round = 0; more && round < 1; round++) {"),
    ("a value outlives its last round", DESTRUCTORS, THREADS + "thread_keys.c",
     "    for (unsigned key = 0; more && key < FIRST_KEYS; key++)", "    for (unsigned key = 0; more && key < 1; key++)"),
    ("a home keeps its rseq area", HOME, THREADS + "home.c",
     "    rseq_leave();\n    if (narrowed)", "    if (narrowed)"),
    ("a home keeps to the engine's processors", HOME,
     THREADS + "home.c", "    if (narrowed)\n        affinity_reset();\n", "    (void)narrowed;\n"),
    ("a home keeps the engine's name", HOME, THREADS + "home.c",
     "    if (ours)\n        kthread_name_reset();\n", "    (void)ours;\n"),
    ("all stacks begin at one line", HOME, THREADS + "home.c", "(size_t)home->tid % COLOURS * 64", "0"),
    ("the signal's detour forgets the saved frame", ["linux_signal_handlers *", "linux_signal_at_worker *"], THREADS + "home.c",
     "    frame->rbx = (uintptr_t)saved;\n", "    frame->rbx = 0;\n"),

    # timers
    ("a timer runs out of order", TIMERS, OS + "timer.c", "    if (b->deadline < a->deadline) {\n", "    if (b->deadline > a->deadline) {\n"),
    ("a later timer follows an earlier one anyhow", TIMERS, OS + "timer.c",
     "queue->newest && queue->newest->deadline <= timer->deadline", "queue->newest"),
    ("the newest timer dangles", TIMERS, OS + "timer.c",
     "    if (queue->newest == timer)\n        queue->newest = timer->follows ? timer->previous : NULL;\n", "\n"),
    ("the run of the first timer is lost", TIMERS, OS + "timer.c",
     "        children = meld(children, timer->later);\n", "        (void)0;\n"),
    ("a cancelled timer stays in its heap", TIMERS + ["linux_many_deadlines *"], OS + "timer.c",
     "    if (armed)\n        unlink_timer(queue, timer);\n", "    timer->armed = false;\n"),
    ("an earlier deadline wakes nobody", ["linux_many_deadlines *", "api_win32_timers *"], OS + "timer.c",
     "    if (earlier)\n        futex_wake(&queue->changed, 1);\n", "\n"),
    ("after a fork the queues are the parent's", TIMERS, OS + "timer.c",
     "        if (queues[i].runs)\n            queues[i] = (struct timer_queue){0};\n", "        (void)i;\n"),

    # the dispatcher
    ("a wait for any is not claimed", WAITS, DISPATCH + "waiters.c", "    if (wait_claim(wait))\n        wait_set_result_in(\n            wait, (uint32_t)(block",
     "    if (wait)\n        wait_set_result_in(\n            wait, (uint32_t)(block"),
    ("a wait for all takes what is there", WAITS, DISPATCH + "ready.c", "        else if (!object_ready(object, wait))\n            return false;\n",
     "\n"),
    ("a seat that was left still counts", WAITERS, DISPATCH + "waiters.c",
     "    if (!seat_in_use(object)) {\n        object->seat = NULL;\n        return;\n    }\n", "\n"),
    ("who parks at a wait for any is not queued", WAITS, DISPATCH + "waiters.c",
     "    else if (wait->left ||\n             atomic_fetch_or_explicit(&wait->sitter->word, SEAT_OPEN, memory_order_acq_rel) &\n                 SEAT_PARKED)\n",
     "    else if (wait->left)\n"),
    ("a wait for all does not count at its objects", WAITERS, DISPATCH + "waiters.c",
     "        object->all_waits++;\n", "\n"),
    ("a block that leaves is still the list's last", WAITS + ["api_win32_waits *"], DISPATCH + "waiters.c",
     "    CHAIN_REMOVE(object, block, next, previous);\n",
     "    struct wait_block *end = object->last;\n    CHAIN_REMOVE(object, block, next, previous);\n    object->last = end;\n"),
    ("who waits for a shared object does not say so", ["linux_shared_events *"], DISPATCH + "proxy.c",
     "    waiting_set(page);\n    word_let_go(page, word);\n    if", "    word_let_go(page, word);\n    if"),
    ("a mutex of a process that died is free, and not abandoned", ["linux_shared_owners *"], DISPATCH + "proxy.c",
     "word & WORD_ABANDONED || word_value(word);", "word & WORD_ABANDONED;"),
    ("the owner of a mutex is not watched", ["linux_shared_owners *"], "platform/linux/async/shared_bell.c",
     "        seen &= watch(owners[i]);\n", "        (void)watch;\n"),
    ("the bell is rung whichever owner it knows", ["unit_proxy *", "linux_shared_owners *"], DISPATCH + "proxy.c",
     " || owner == proxy->watched)", ")"),
    ("a look forgets the owner that it has found", ["unit_proxy_list *"], DISPATCH + "proxy_list.c",
     "        proxy->watched = owner;\n", ""),
    ("a pulse is not for waits for all", ["linux_shared_pulses *"], DISPATCH + "offer.c",
     "    proxy->passes = block->seen != times;\n", "    proxy->passes = false;\n"),
    ("a wait for all has its chance at a pulse until it takes it", ["linux_shared_pulses *"], DISPATCH + "ready.c",
     "            wait->blocks[i].seen = ((const struct proxy *)object)->refused_at;\n", "            (void)object;\n"),
    ("a process that died holds its words", ["linux_shared_waits *"], DISPATCH + "shared_word.c",
     "!peer_alive(holder)", "false"),
    ("memory that processes share comes when it is touched", ["linux_shared_memory *"], DISPATCH + "sealed_file.c",
     "RAW4(SYS_fallocate, fd, 0, 0, bytes)", "RAW2(SYS_ftruncate, fd, bytes)"),
    ("a process shares names with another user's processes", ["linux_shared_name_places *"], "platform/linux/async/shared_bell.c",
     "error || peers_are_ours() ? error", "true ? error"),
    ("a pulse that nobody took is for who comes", ["unit_proxy *", "linux_shared_waits *"], DISPATCH + "proxy.c",
     "    bool result, let_go = came(proxy) || proxy->passes;\n",
     "    bool result, let_go = proxy->expected || proxy->passes;\n    came(proxy);\n"),
    ("who has a mutex lets go of a word that a twin holds", ["unit_proxy *"], DISPATCH + "proxy.c",
     "    if (!proxy->mutex.owner) /* the thread has it already", "    if (true) /* the thread has it already"),
    ("a refusal to share memory is an error", ["linux_shared_memory *"], DISPATCH + "sealed_file.c",
     "        return FOLDER_REFUSED;", "        return 8;"),
    ("who may share no new object takes none of another process", ["linux_shared_memory *"], "winapi/linux/named_sync.c",
     "        return find_or_make_own(request, joined, name);", "        return find_or_make_own(request, false, name);"),
    ("in a child objects keep their waiters", WAITERS, DISPATCH + "waiters.c",
     "    object->first = object->last = NULL;\n    object->seat = NULL;\n", "\n"),

    # stopping
    ("a thread that is suspended does not stand still", STOP + ["linux_stopping_everywhere *"],
     ENGINE + "interrupt/stop_point.c", "    while (thread_must_stand(thread)) {\n", "    while (false) {\n"),
    ("a nudge is not repeated", ["linux_stopping_everywhere *", "api_win32_suspend_running *"], ENGINE + "interrupt/stop.c",
     "    bool again = nudge_once(thread);\n", "    bool again = false;\n"),
    ("a scheduler that is to stop is not told so", ["linux_stopping_everywhere *", "api_win32_suspend_threads *"], ENGINE + "interrupt/stop.c",
     "            atomic_store_explicit(&scheduler->stop_due, true, memory_order_relaxed);\n", "            (void)0;\n"),
    ("the handler acts inside the library", STOP + ["linux_stopping_everywhere *"], ENGINE + "interrupt/stop.c",
     "    if (!outside(interrupted) || plat_tls.locks || plat_tls.ending) {\n        plat_tls.stop_due = true;\n        return;\n    }\n", "\n"),
    ("a thread met inside the library does not look there", ["linux_stopping_soon *"],
     ENGINE + "interrupt/stop.h", "    if (UMS_UNLIKELY(plat_tls.stop_due))\n        stop_look_closely(caller);\n", "    (void)caller;\n"),
    ("a thread stops in the midst of a function of the library's", ["linux_stopping_soon *"],
     ENGINE + "interrupt/stop_point.c", "    if (library_holds(caller))\n        return; /* the function that called that one looks */\n", ""),
    ("a thread ends while it holds libc's locks", STOP + ["linux_threads_inside_libc *"],
     ENGINE + "interrupt/stop.c", "    if (nudge == NUDGE_END && busy_in_libc(interrupted)) {\n        plat_tls.stop_due = true;\n        return;\n    }\n", "\n"),
    ("a blocked worker that is to end waits on", ENDS, ENGINE + "interrupt/stop.c",
     "        if (!wait_cancel(thread))\n            call_cancel(&worker->call);\n        return true;\n", "        (void)wait_cancel(thread);\n        return true;\n"),

    # fork
    ("the child keeps the parent's lanes", FORKS, ENGINE + "fork.c", "    lanes_forget();\n", "\n"),
    ("helpers are not forgotten in the child", FORKS, ENGINE + "fork.c", "    helpers_forget();\n", "\n"),
    ("the child keeps waits for futexes", FORKS, ENGINE + "fork.c", "    futex_table_forget();\n", "\n"),
    ("the child keeps homes in stock", FORKS, ENGINE + "fork.c", "    home_stock_forget();\n", "\n"),
    ("the child keeps the parent's pool", FORKS + ["linux_pool_threads *"], ENGINE + "fork.c", "    pools_forget();\n", "\n"),
    ("the child has the home's mask", FORKS + ["linux_traps_and_children *" + TRAPPED], ENGINE + "fork.c",
     "        signals_restore(&plat_tls.sigmask);\n", "\n"),

    # CancelSynchronousIo
    ("a thread's call is made once more", ["api_win32_cancel_synchronous *"], ENGINE + "interrupt/sync_call.c",
     "    registers[REG_RAX] = -EINTR;\n", "    registers[REG_RIP] -= (greg_t)sizeof syscall_code;\n"),
    ("a worker's call is made once more", ["api_win32_cancel_synchronous *"], ENGINE + "traps/user_call.c",
     " || sync_call_asked())", ")"),
    ("a call on top takes the outer one's place for good", ["linux_calls_on_top *"], ENGINE + "interrupt/sync_call.h",
     "    if (UMS_UNLIKELY(outer->call)) {\n", "    if (UMS_UNLIKELY(outer->call && errno == ENOTTY)) {\n"),
    ("a call that is left by a jump goes on", ["linux_calls_on_top *"], ENGINE + "libc/signal_jump.c",
     "    sync_call_left();\n", "\n"),
    ("an epoll instance that is polled is in the lane's set", ["linux_nested_epoll *"], CALLS + "watched.c",
     "    return !(file->st_mode & S_IFMT) &&\n", "    return (file->st_mode & S_IFMT) &&\n"),
    ("a handler that stood forgets that it is on top of a wait", STOP + ["linux_calls_on_top *"], ENGINE + "interrupt/stop_point.c",
     "    if (waits)\n", "    if (waits && thread->ended)\n"),
    ("registers are waited for as long as a call is to end", ["linux_calls_on_top *"], ENGINE + "interrupt/registers_ask.c",
     "thread, plat_now() + AGAIN_NS);\n}", "thread, PLAT_FOREVER);\n}"),
    ("a call on top of a wait is not interrupted", ["linux_calls_on_waits *"], ENGINE + "interrupt/stop.c",
     "!(stopped && (suspended || woken));", "!stopped;"),
    ("a wait at an address is not woken", ["api_win32_cancel_synchronous *"], ENGINE + "interrupt/stop.c",
     "    sync_call_wake(thread);\n", "\n"),

    # call sites
    ("a site's call is made without a look at its arguments", SITE, LIBC + "site_call.c",
     "           (site_rows[number] && call_row_holds(site_rows[number], args));\n", "           site_rows[number];\n"),
    ("a site clobbers errno", SITE, LIBC + "site_call.c",
     "(void *)behind : NULL);\n    }\n    errno = saved;\n", "(void *)behind : NULL);\n    }\n    (void)saved;\n"),
    ("a slot leads behind the wrong instruction", SITES, LIBC + "site_write.c", "    uintptr_t behind = site->call + 2;\n    at = put(at, (const char *)site->lead",
     "    uintptr_t behind = site->call;\n    at = put(at, (const char *)site->lead"),
    ("a jump into the padding is a byte short", SITES, LIBC + "site_write.c", "(unsigned char)(site->pad - site->lead - 2)", "(unsigned char)(site->pad - site->lead - 1)"),
    ("the sites stay open over a fork", SITE, LIBC + "site_call.c",
     "    plat_tls.room.low = UINTPTR_MAX;\n", "\n"),

    # the table of futexes
    ("a wait is entered though its word has changed", FUTEXES, CALLS + "futex_table.c", "    if (!changed) {\n        chain_add", "    if (true) {\n        chain_add"),
    ("waits are not armed before the scheduler sleeps", FUTEXES, CALLS + "futex_table.c",
     "    arm_aged(lane, 0);\n", "    (void)lane;\n"),
    ("a wait that is armed stays in the table", FUTEXES, CALLS + "futex_table.c",
     "        futex_chain_remove(bucket, call);\n        bucket->aged = true;\n        *end = call;\n        end = &call->next;\n    }\n    *end = NULL;\n    plat_unlock(&bucket->lock);\n    return left;\n",
     "        bucket->aged = true;\n    }\n    *end = NULL;\n    plat_unlock(&bucket->lock);\n    return left;\n"),
    ("what a lane owes is never paid", FUTEXES, CALLS + "futex_table.c",
     "        futex_note_found(bucket, futex_wake_in_kernel(args, count, FUTEX_BITSET_MATCH_ANY));\n", "        (void)args, (void)count;\n"),
    ("a wake-up lets one more go", FUTEXES, CALLS + "futex_wake.c", "call && woken < count; call = next) {\n        next = call->next;\n        if (!waits_on(call, (uintptr_t)a[0]",
     "call && woken <= count; call = next) {\n        next = call->next;\n        if (!waits_on(call, (uintptr_t)a[0]"),
    ("a wake-up does not look at the mask", FUTEXES, CALLS + "futex_wake.c", " || !(bits_of(call) & bits))\n", ")\n"),
    ("shared and private waits are one", FUTEXES, CALLS + "futex_wake.c", "(uintptr_t)call->args[0] == word && !((call->args[1] ^ flags) & FUTEX_PRIVATE_FLAG)",
     "(void)flags, (uintptr_t)call->args[0] == word"),
    ("the kernel is not asked where the table has too few", FUTEXES, CALLS + "futex_wake.c",
     "    } else if (woken < count) {\n", "    } else if (false) {\n"),
    ("a requeue does not wait for what it has armed", FUTEXES, CALLS + "futex_wake.c", "    baton_wait(&settling.baton);\n", "    (void)0;\n"),
    ("who is armed does not say so", ["linux_futexes *", "linux_condition_variables *"], TRAPS + "reactor.c",
     "    if (settling)\n        futex_settled(settling);\n", "    (void)settling;\n"),

    # helpers, signals, and files on a disk
    ("an answer to a withdrawn call is final", HELPERS + ["linux_signal_eintr * UMSSHIM_RING=0"], CALLS + "helper.c",
     "        if (result == -EINTR && atomic_load_explicit(&call->cancelled, memory_order_acquire))\n", "        if (false)\n"),
    ("a helper is not interrupted", HELPERS + ["linux_signal_eintr * UMSSHIM_RING=0"], CALLS + "helper.c",
     "        RAW3(SYS_tgkill, own_pid(), call->helper, stop_signal);\n", "        (void)0;\n"),
    ("where threads run out a blocked call is forgotten", HELPERS, CALLS + "helper.c",
     "        timer->deadline = plat_now() + TRY_AGAIN_NS;\n        timer_add(timer);\n        return;\n", "        return;\n"),
    ("a signal that came in between is missed", ["unit_signal_wait *"], CALLS + "signal_wait.c",
     "    if (signal_dequeue(worker, call->signal.set, &info, NULL)) {\n", "    if (false) {\n"),
    ("a call is made again after its handler, restarted or not", ["linux_signal_eintr *"], TRAPS + "user_call.c",
     "        if ((ran.any && !(ran.restarts && restarts)) ||", "        if ((ran.any && !restarts) ||"),
    ("a read of what is not in memory is made in place", DISK, TRAPS + "disk_file.c",
     "    return r >= length || (r < 0 && r != -EAGAIN);\n", "    return true;\n"),
    ("a file is asked about one page too few", DISK, TRAPS + "disk_file.c",
     "cached.pages <= (uint64_t)(last - first)", "cached.pages < (uint64_t)(last - first)"),
    ("what was in memory once is for ever", DISK, TRAPS + "disk_seen.c",
     " || ((moment() - word) & MOMENTS) > HOLDS_UNITS)\n", ")\n"),
    ("a path's file is in memory for longer than it was", DISK, TRAPS + "disk_seen.c",
     "        put(name, word & ((UINT64_C(1) << NAME_AT) - 1));\n", "        disk_see(name, SEEN_MUTE);\n"),
    ("a read of a file that is known by its path is not ended", ["linux_small_files *"], TRAPS + "known_file.c",
     "    bool made = open_made(call);\n", "    call->result = call_as_it_stands(call);\n    bool made = true;\n"),
    ("a file is remembered of which a page is missing", DISK, TRAPS + "disk_file.c",
     "        cached.pages < (range[1] + PAGE - 1) / PAGE)\n", "        false)\n"),
    ("a directory counts as a file that ends", DISK, TRAPS + "disk_file.c",
     "S_ISREG(place.file.st_mode) ? position < place.file.st_size", "true ? position < place.file.st_size"),
]
MUTANTS += MORE_MUTANTS + CALL_MUTANTS

# A short run: tests/linux/mutate.py SCRATCH --short
SHORT = ["a timer runs out of order", "a wait that is armed stays in the table", "helpers are not forgotten in the child"]

# Those that go unnoticed by the tests that are named, each with the reason: none.
UNNOTICED = []
