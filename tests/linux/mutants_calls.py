# SPDX-License-Identifier: MIT
# mutants_calls.py - more ways to break the Linux engine, as in mutants.py: how calls and waits begin and end. Overlapped
# calls, watched files, the broker, cancellation, masks, waits of every kind, ports, timers, and signals on their way.

ENGINE = "platform/linux/"
ASYNC = ENGINE + "async/"
CALLS = ENGINE + "calls/"
DISPATCH = ENGINE + "dispatch/"
INTERRUPT = ENGINE + "interrupt/"
LIBC = ENGINE + "libc/"
POOLS = ENGINE + "pool/"
TRAPS = ENGINE + "traps/"

NO_RING = " UMSSHIM_RING=0"
TRAPPED = " UMSSHIM_DETECT=traps UMSSHIM_FRONT=0"

ASYNC_TURNS = ["unit_async *"]
ASYNC_RING = ["unit_async_ring *"]
ASYNC_POLL = ["unit_async_poll *"]
OWN_RINGS = ["unit_own_ring *"]
PACKET_MEMORY = ["unit_packet_memory *"]
WATCHES = ["unit_fd_watch *"]
BROKER = ["unit_broker *"]
CALL_ENDS = ["unit_call_ends *"]
AGAIN = ["linux_reads_that_wait_again *"]
BEGINS = ["unit_wait_begins *"]
APCS = ["api_win32_apc *"]
PORTS = ["api_win32_completion_port *"]
PLACES = ["api_win32_port_limit *", "api_win32_port_places *"]
TIMERS = ["api_win32_timers *"]
ADDRESSES = ["api_win32_wait_on_address *", "api_win32_condition_variables *", "unit_address_buckets *"]
SIGNAL_WAYS = ["linux_signals_to_process *", "linux_signal_masks *", "linux_signal_waits *"]

CALL_MUTANTS = [
    # overlapped calls
    ("who sees overlapped calls through sleeps over one that has come", ASYNC_TURNS, ASYNC + "async.c",
     "        bool look = anything();\n", "        bool look = false;\n"),
    ("overlapped calls begin in the wrong order", ASYNC_TURNS, ASYNC + "async.c",
     "        call->next = in_order;\n        in_order = call;\n        call = next;\n    }\n    while (in_order) {\n",
     "        call->next = NULL;\n        async_flies(call);\n        way->begin(call);\n        call = next;\n    }\n    while (in_order) {\n"),
    ("a call that is over is cancelled all the same", ASYNC_TURNS, ASYNC + "async.c",
     "    if (*link)\n        *link = call->next_cancelled;\n", ""),
    ("a cancellation comes before its call", ASYNC_TURNS, ASYNC + "async.c",
     "        begin_all();\n        cancel_all(cancelled);\n        async_sleeps", "        cancel_all(cancelled);\n        begin_all();\n        async_sleeps"),
    ("the file that wakes who sees overlapped calls through is watched once", ASYNC_RING, ASYNC + "async_ring.c",
     "        if (tag == TAG_WAKE)\n            watch_wake_file();\n", "        if (tag == TAG_WAKE)\n            ;\n"),
    ("a cancellation that met its call in between is forgotten", ASYNC_RING, ASYNC + "async_ring.c",
     "        else if (result == -ENOENT)\n            cancel_again(tag & ~(uint64_t)TAG_CANCEL);\n", "        else if (result == -ENOENT)\n            (void)cancel_again;\n"),
    ("a file that another has made nonblocking is not waited for", ASYNC_RING,
     ASYNC + "async_ring.c", "        call->readying = once_more = true; /* the file has O_NONBLOCK */\n", "        (void)0;\n"),
    ("a ring that may lose answers is of use", OWN_RINGS, ENGINE + "os/own_ring.c",
     "!(params.features & IORING_FEAT_NODROP) || ", ""),
    ("a ring is entered by the number that is the program's again", OWN_RINGS, ENGINE + "os/own_ring.c",
     "        ring->enter_ring_fd = high;\n", "        (void)0;\n"),
    ("a packet's memory is not kept", PACKET_MEMORY, DISPATCH + "packet_memory.c",
     "    if (room == PACKET_SMALL)\n        return &self->serves.spare_small;\n", ""),
    ("an operation that has to wait stays on its caller's stack", ["linux_overlapped_operations *"], "winapi/linux/overlapped_end.c",
     "    if (operation->end.at == &operation->end.own)\n        return operation;\n", "    if (true)\n        return operation;\n"),
    ("the wake file is never emptied", ASYNC_POLL, ASYNC + "async_poll.c",
     "    if (ready > 0 && polls[0].revents) {\n", "    if (false) {\n"),
    ("a polled call that is to be cancelled stays", ASYNC_POLL, ASYNC + "async_poll.c",
     "        else if (call->cancelled && !call->away)\n            finish(call, -ECANCELED);\n", ""),
    ("a socket that has connected stays nonblocking", ASYNC_POLL, ASYNC + "async_poll.c",
     "    if (call->kind == ASYNC_CONNECT)\n        set_nonblocking(call->fd, false);\n    async_over", "    async_over"),
    ("a watched file is watched for one event", WATCHES,
     ASYNC + "fd_watch.c", "    else if (watch)\n        control(EPOLL_CTL_MOD, watch);\n", ""),
    ("a watch that has ended stays in the set", WATCHES, ASYNC + "fd_watch.c",
     "        control(EPOLL_CTL_DEL, watch);\n", ""),

    # calls that io_uring attempts
    ("a request that has to wait is not cancelled", ["linux_accepting *", "linux_connecting *"], CALLS + "attempt_ring.c",
     "        if (!got.cancelled && (!taken || head == tail))\n", "        if (false)\n"),
    ("an attempt ends with the answer to its cancellation", ["linux_accepting *", "linux_connecting *", "linux_accept_connect_ended *"],
     CALLS + "attempt_ring.c", "        if (answer->user_data == TAG_REQUEST) {\n", "        if (answer->user_data) {\n"),

    # the broker
    ("the broker sleeps over a request", ["linux_births *", "linux_thread_from_worker *", "api_win32_thread_pool *"], CALLS + "broker.c",
     "    if (!atomic_exchange_explicit(&broker->word, 1, memory_order_seq_cst))\n        futex_wake",
     "    if (atomic_exchange_explicit(&broker->word, 1, memory_order_seq_cst))\n        futex_wake"),
    ("a worker that asks the broker keeps its scheduler", BROKER, CALLS + "broker.c",
     "bool leaves = self && !self->is_scheduler && self->scheduler;", "bool leaves = false;"),
    ("a request for threads that failed is not tried again", BROKER, CALLS + "broker.c",
     "anything_posted() ? plat_now() + A_WHILE : PLAT_FOREVER", "(anything_posted(), PLAT_FOREVER)"),

    # deadlines, cancellation, masks
    ("the time-out of a call begins in 1970", ["linux_blocking_waits *", "linux_blocking_polls *"], CALLS + "call_kit.c",
     "        call->deadline = plat_now() + nanoseconds(&ts);\n", "        call->deadline = nanoseconds(&ts);\n"),
    ("a socket's own time-out is not looked at", ["linux_blocking_sockets *"], CALLS + "call_kit.c",
     "        (tv.tv_sec || tv.tv_usec))\n", "        false)\n"),
    ("a call that waits is asked for its mode again", AGAIN, CALLS + "call_kit.c",
     "    return call->in_flight || fd_may_wait(", "    return fd_may_wait("),
    ("a sleep is not cancelled", ["linux_terminate_blocked *", "linux_signal_eintr *"], CALLS + "cancel.c",
     "        if (timer_cancel(&call->timer))\n            call_interrupt(call);\n", "        (void)timer_cancel;\n"),
    ("a cancelled call in the ring is not asked for", ["linux_terminate_blocked *", "linux_signal_eintr *"], CALLS + "cancel.c",
     "        lane_cancel(lane, call);\n", ""),
    ("what was done of a call is lost when it is interrupted", CALL_ENDS, CALLS + "call.c",
     "    if (call->progress) {\n", "    if (false) {\n"),
    ("the mask of a call stays when it has ended by itself", ["linux_signal_masks *", "linux_signal_waits *"], CALLS + "call.c",
     "    if (UMS_UNLIKELY(call->masked))\n        call_mask_end(call, result);\n", ""),
    ("a call's mask opens nothing that is pending", ["linux_signal_masks *", "linux_signal_waits *"], CALLS + "call_mask.c",
     "    if (opened)\n        signals_collect(worker, opened);\n    signals_enter();\n    worker->signals.saved_mask",
     "    signals_enter();\n    worker->signals.saved_mask"),
    ("who was in the middle of a file's queue takes those behind along", ["unit_watch_queue *"], CALLS + "watch_queue.c",
     "        call->watch.before->watch.behind = next;\n", "        call->watch.before->watch.behind = NULL;\n"),
    ("the last of a file's queue is not known", ["unit_watch_queue *"], CALLS + "watch_queue.c",
     "            front_of(lane, call)->watch.last_behind = call->watch.before;\n", "            (void)front_of;\n"),
    ("a handler's mask stays behind it", ["linux_signal_handlers *", "linux_signal_masks *"], CALLS + "signal_run.c",
     "    signals_replace_mask(self, back);\n}", "}"),
    ("a handler runs again in itself", ["linux_signal_handlers *", "linux_signal_masks *"], CALLS + "signal_run.c",
     "    if (!(action->flags & SA_NODEFER))\n        held |=", "    if (action->flags & SA_NODEFER)\n        held |="),

    # waits
    ("who waits at an address looks without being in line", BEGINS, DISPATCH + "address.c",
     "    if (still && !still(arg)) {\n", "    if (false) {\n"),
    ("a wake-up at an address wakes one too many", ADDRESSES, DISPATCH + "address.c",
     "        if (count == most) {\n", "        if (count == most + 1) {\n"),
    ("a procedure that is queued wakes nobody", APCS, DISPATCH + "apc.c",
     "    wait_alert(thread);\n    return 0;\n", "    return 0;\n"),
    ("the last procedure that was withdrawn is still the last", ["api_win32_timers *leaves_no_gap"], DISPATCH + "apc.c",
     "    if (thread->last_apc == apc)\n        thread->last_apc = previous;\n", ""),
    ("a thread that has ended is given procedures", APCS, DISPATCH + "apc.c", "    bool open = !thread->ended;\n", "    bool open = true;\n"),
    ("a mutex that is closed while another has it goes", ["api_win32_mutex *", "stress_random_signals *"], DISPATCH + "object.c",
     "    if (object_is_mutex(object) && ((struct mutex *)object)->owner &&\n        closed_while_owned((struct mutex *)object))\n        return;\n", ""),
    ("a mutex that was closed stays with its owner for good", ["unit_orphans *"], DISPATCH + "object.c",
     "    atomic_store_explicit(&owner->orphans, true, memory_order_relaxed);\n    return true;", "    return true;"),
    ("a list's event is signalled in its next life", ["unit_list_event *"], DISPATCH + "object_signal.c",
     "object->refs > 0 && event->life == life", "object->refs > 0"),
    ("a mutex whose owner ended is not abandoned", ["api_win32_mutex *"], DISPATCH + "object_signal.c",
     "            mutex->abandoned = true;\n", ""),
    ("those who wait for an abandoned mutex wait on", ["api_win32_mutex *"], DISPATCH + "object_signal.c",
     "            mutex->object.signal = 1;\n            object_release_waiters(&mutex->object, &chain);\n", "            mutex->object.signal = 1;\n"),
    ("who waits for any looks before the wait can be decided", BEGINS, DISPATCH + "wait_any.c",
     "        arm(sitter, wait, number);\n        return look_from_seats(request, wait);\n",
     "        bool on = look_from_seats(request, wait);\n        arm(sitter, wait, number);\n        return on;\n"),
    ("a signal is kept by a wait that another has decided", BEGINS, DISPATCH + "wait_any.c",
     "    if (!wait_claim(wait)) {\n        object_keep(object);\n        return false;\n    }\n    wait_set_result(wait, index",
     "    if (!wait_claim(wait)) {\n        object_consume(object, wait);\n        return false;\n    }\n    wait_set_result(wait, index"),
    ("to signal and to wait are two steps", ["api_win32_signal_and_wait *", "stress_random_signals *"], DISPATCH + "wait_calls.c",
     "        if (*all)\n            plat_lock(&(*second)->lock);\n", ""),
    ("an object is waited for twice by one wait for all", ["api_win32_wait_many *"], DISPATCH + "wait_calls.c",
     "                if (objects[j] == object)\n", "                if (false)\n"),
    ("a wait for all that procedures end is left in line", BEGINS, DISPATCH + "wait_calls.c",
     "        wait_take_back(wait, WAITED_APC);\n        alerted = true;\n", "        alerted = true;\n"),

    # ports and timers
    ("a packet that is behind others is lost", PORTS, DISPATCH + "port.c",
     "        if (port->first)\n            port->last->next = packet;\n        else\n            port->first = packet;\n",
     "        if (!port->first)\n            port->first = packet;\n"),
    ("a port that is closed leaves its takers asleep", PORTS + PLACES, DISPATCH + "port.c",
     "    while ((wait = last_taker(port)))\n        wait_decide(wait, PORT_CLOSED, &chain);\n", "    (void)wait;\n"),
    ("a place that came free is given to nobody", ["unit_port *"], DISPATCH + "port.c",
     "    if (object->type == OBJECT_PORT && object->refs)\n        hand_out((struct port *)object, &chain);\n", ""),
    ("a port's thread that sleeps keeps its place", PLACES, DISPATCH + "port_limit.c",
     "        if (looks >= (plain ? LOOKS_OF_PLAIN : LOOKS_OF_OTHERS))\n", "        if (false)\n"),
    ("a timer that was set anew fires at its old time", ["unit_waitable_timer *"], DISPATCH + "waitable_timer.c",
     "    if (timer->due <= now)\n        alert = expire(timer, when, &chain);\n", "    alert = expire(timer, when, &chain);\n"),
    ("a stopped timer's procedure is called", TIMERS, DISPATCH + "waitable_timer.c",
     "    apc_withdraw(&timer->apc, timer->thread);\n", ""),
    ("a periodic timer fires once", TIMERS, DISPATCH + "waitable_timer.c",
     "timer->period ? timer->due + timer->period : PLAT_FOREVER;", "PLAT_FOREVER;"),
    ("a timer of a pool that is stopped at once is not called", ["api_win32_pool_timers *", "api_win32_timer_queue *"], POOLS + "pool_timer.c",
     "    if (due <= now)\n        expire(timer, now);\n", ""),
    ("a timer of a pool goes while it is set", ["api_win32_pool_timers *", "api_win32_timer_queue *"], POOLS + "pool_timer.c",
     "        timer->item.refs += !timer->held;\n", ""),
    ("a pool's wait that was decided is freed by who sets it anew", ["unit_pool_wait *"], POOLS + "pool_wait.c",
     "    if (!old || !watch_stop(old->watch))\n        return NULL;\n", "    if (!old || (watch_stop(old->watch), false))\n        return NULL;\n"),
    ("a pool's wait that was taken back is still waited for", ["api_win32_pool_waits *", "api_win32_registered_waits *"], POOLS + "pool_wait.c",
     "    wait->item.coming--;\n    wait->item.refs--; /* not the last: the caller", "    wait->item.refs--; /* not the last: the caller"),
    ("a callback that left its thread is not waited for", ["api_win32_pool_callbacks *"], POOLS + "pool_threads.c",
     "        address_wake(&item->apart, UINT32_MAX, NULL, NULL);\n", "        (void)address_wake;\n"),
    ("a pool's thread that a callback ended counts on", ["linux_pool_threads *", "api_win32_thread_pool *", "api_win32_pool_callbacks *"], POOLS + "pool_threads.c",
     "    plat_lock(&pool->lock);\n    pool->threads--;\n    plat_unlock(&pool->lock);\n    if (call.item)\n", "    if (call.item)\n"),

    # signals on their way, and what homes do
    ("a signal to the process goes to a worker that has it blocked", SIGNAL_WAYS, INTERRUPT + "signal_thread.c",
     "        if (worker->is_scheduler || *mask_of(worker) & bit)\n", "        if (worker->is_scheduler)\n"),
    ("who waits for a signal is passed by", SIGNAL_WAYS, INTERRUPT + "signal_thread.c",
     "    if (give_to_waiter(info))\n        return true;\n", "    (void)give_to_waiter;\n"),
    ("who has blocked a signal is not answered", SIGNAL_WAYS, INTERRUPT + "signal_thread.c",
     "    signals_looked(asked);\n", "    (void)asked;\n"),
    ("a handler that ends its thread is the last that runs", ["linux_handlers_own_thread *"], INTERRUPT + "handler_thread.c",
     "        broker_post(POST_HANDLERS, create);\n", "        (void)broker_post;\n"),
    ("a signal that is sent to a blocked worker wakes nobody", ["linux_signal_eintr *", "linux_signal_waits *"], INTERRUPT + "signal_send.c",
     "    if (tell) {\n        signals_tell(target);\n", "    if (tell) {\n"),
    ("registers are given out of a frame that has gone", ["api_win32_thread_context *", "api_win32_suspend_threads *"], INTERRUPT + "registers.c",
     "    copy(interrupted, interrupted->uc_mcontext.fpregs, asked->registers);\n", ""),
    ("a home's errand is not told to be over", ["linux_kernel_mutexes *", "linux_inheriting_mutexes *", "linux_thread_names *"], TRAPS + "errand.c",
     "futex_wake(&errand->done, 1);", "(void)0;"),
    ("a home that makes an errand does not park again", ["linux_kernel_mutexes *", "linux_inheriting_mutexes *", "linux_thread_names *"], TRAPS + "errand.c",
     "    atomic_store_explicit(&home->word, HOME_PARKED, memory_order_relaxed);\n", ""),
    ("a wait with a time-out begins it anew at its helper", CALL_ENDS, TRAPS + "errand.c",
     "    if (op == FUTEX_WAIT && call->deadline != PLAT_FOREVER)\n", "    if (false)\n"),
    ("what is left of a sleep is not told", ["linux_signal_eintr *left_of_it"], TRAPS + "call_wait.c",
     "    copy_out((void *)where, ts, sizeof ts);\n", "    (void)ts;\n"),
    ("the program closes a file of the library's", ["linux_own_descriptors *"], LIBC + "close_front.c",
     "    if (file_is_own(fd))\n        return true;\n    give_away", "    give_away"),
    ("a call goes on with whatever file comes to its number", ["linux_reused_numbers *", "linux_reused_at_once *"], LIBC + "close_front.c",
     "    give_away((unsigned)fd, (unsigned)fd);\n    return false;", "    return false;"),
    ("a forked child begins with its home's result", ["linux_traps_and_children *" + TRAPPED, "linux_fork_from_worker *" + TRAPPED], LIBC + "trap_process.c",
     "        trapped->uc_mcontext.gregs[REG_RAX] = 0;\n", "        trapped->uc_mcontext.gregs[REG_RAX] = 1;\n"),
    ("another program begins with the broker's mask", ["linux_traps_and_children *" + TRAPPED, "linux_spawn_from_worker *" + TRAPPED], LIBC + "trap_process.c",
     "    RAW4(SYS_rt_sigprocmask, SIG_SETMASK, &b->mask, &old, 8);\n", "    RAW4(SYS_rt_sigprocmask, SIG_BLOCK, 0, &old, 8);\n"),
    ("a handler of a fault's has no red zone above it", ["linux_fault_red_zone *"], LIBC + "signal_frame.c",
     "(uintptr_t)stack->ss_sp + stack->ss_size : here - RED_ZONE;\n    char", "(uintptr_t)stack->ss_sp + stack->ss_size : here;\n    char"),
]
