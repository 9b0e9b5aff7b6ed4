# SPDX-License-Identifier: MIT
# mutants.py - ways to break the Windows engine, for mutate.py: a name, the tests that are meant to
# notice (a program without "test_", then a filter), a file, the text that is there once, and what to
# put in its place. A third word of a test is a setting other than UMSSHIM_SWITCH=inplace.

import pathlib

ENGINE = "platform/windows/"
TEB = ENGINE + "switch/teb.h"
ACCESS = ENGINE + "switch/teb_access.h"
SWITCH = ENGINE + "switch/inplace.S"
INPLACE = ENGINE + "switch/inplace.c"
THREAD_SWITCH = ENGINE + "switch/thread_switch.c"
LEAVE = ENGINE + "switch/leave.c"
INTERRUPT = ENGINE + "switch/interrupt.c"
INTERRUPTED = ENGINE + "switch/interrupted.c"
INTERRUPT_S = ENGINE + "switch/interrupt.S"
REGISTERS = ENGINE + "switch/registers.c"
STOP = ENGINE + "stop.c"
ALERT = ENGINE + "waits/alert.c"
USER_WAIT = ENGINE + "waits/user_wait.c"
OBJECT_WAIT = ENGINE + "waits/object_wait.c"
DIRECT = ENGINE + "waits/direct_signal.c"
POOL_WAIT = ENGINE + "waits/pool_wait.c"
WAIT_SERVICE = ENGINE + "waits/wait_service.c"
IDENTITY = ENGINE + "calls/call_identity.c"
CALLS = ENGINE + "calls.def"
SHORT_CALLS = ENGINE + "switch/short_calls.c"
RUNTIME = ENGINE + "calls/runtime_pin.c"
HABITS = ENGINE + "calls/file_habits.c"
CONTROL = "winapi/windows/thread_control.c"

STOPS = ["stress_random_stops *"]
STOPS_PINNED = ["stress_random_stops * UMSSHIM_SWITCH=pinned"]


def stays_here(call, tests):
    """A call that belongs to the worker's own thread is made on its scheduler's: its row says so."""
    text = (pathlib.Path(__file__).resolve().parents[2] / CALLS).read_text()
    for row in text.splitlines():
        if row.startswith("CALL(%s, " % call):
            return (call + " is made where the worker is", tests, CALLS, row,
                    row.replace(", HOME,", ", HERE,").replace(", ASKED,", ", HERE,"))
    raise KeyError(call)


def row_of(name):
    """A row's text in teb.h, as it is today."""
    text = (pathlib.Path(__file__).resolve().parents[2] / TEB).read_text()
    for line in text.splitlines(True):
        if line.startswith("    X(") and ", %s, " % name in line:
            return line
    raise KeyError(name)


def without(name, *tests):
    line = row_of(name)
    last = not line.rstrip().endswith("\\")
    return ("a switch leaves the TEB's %s" % name, list(tests), TEB, line,
            "    /* none */\n" if last else "    /* none */ \\\n")


MUTANTS = [
    # what moves with a worker
    without("last_error", "windows_thread_values *last_error*"),
    without("last_status", "windows_thread_values *last_error*"),
    without("fls", "windows_thread_data *fls*"),
    without("stack_bottom", "windows_stack *bounds"),
    without("stack_limit", "windows_stack *"),
    without("thread_id", "windows_identity *thread_id*", "windows_ownership *critical*"),
    without("fiber_data", "windows_fibers *"),
    without("user_pointer", "windows_thread_values *user_pointer"),
    without("locale", "windows_thread_values *locale"),
    without("error_mode", "windows_thread_values *locale"),
    without("guarantee", "windows_stack *guarantee"),
    without("tls", "windows_static_tls *"),
    without("expansion", "windows_thread_data *tls*"),
    ("activation contexts stay", ["windows_activation_contexts *on_*"], ENGINE + "switch/teb.c",
     "    struct activation_stack contexts = values->contexts;\n",
     "    struct activation_stack contexts = *teb_stack();\n"),
    ("a switch leaves the TEB's activation", ["windows_activation_contexts *own"], TEB,
     row_of("activation"), row_of("activation").replace("0x02c8", "0x02c0")),
    ("facts of a process's first thread make all others rare", ["windows_thread_values *first*"], TEB,
     "#define TEB_BITS_KEPT 0x0420", "#define TEB_BITS_KEPT 0"),
    ("rare values are not taken off again", ["windows_thread_values *"], ENGINE + "switch/teb.c",
     "    if (from->is_rare || to->is_rare)\n", "    if (to->is_rare)\n"),
    ("free slots are not exchanged when they are taken later", ["windows_thread_data *tls*"], ACCESS,
     "*(const volatile uint64_t *)teb_slots_in_use;", "1ull << engine_slot;"),
    ("some slots of a line are not exchanged", ["windows_thread_data *tls*", "windows_teb_slots *halves*"], ACCESS,
     '"vmovdqu %%ymm1, 32(%1)"', '"vmovdqu %%ymm1, 32(%0)"'),
    ("who has no activation context active leaves another's", ["windows_activation_contexts *on_*"], ACCESS,
     "(from->contexts.frame | to->contexts.frame) != 0", "to->contexts.frame != 0"),
    # the switch
    ("MXCSR is lost", ["windows_registers *"], SWITCH,
     "        ldmxcsr 160(%rcx)\n", ""),
    ("the x87 control word is lost", ["windows_registers *"], SWITCH,
     "        je      1f\n", "        jmp     1f\n"),
    ("xmm registers are lost", ["windows_registers *"], SWITCH,
     "        movaps  (\\n-6)*16(%rcx), %xmm\\n\n", "        movaps  (\\n-6)*16(%rcx), %xmm0\n"),
    ("r15 is lost", ["windows_registers *"], SWITCH, "1:      movq    184(%rcx), %r15\n",
     "1:      xorl    %r15d, %r15d\n"),
    ("a walk does not find the base", ["windows_unwinding *"], SWITCH,
     ".seh_stackalloc 216 + INPLACE_GAP", ".seh_stackalloc 216"),
    ("no room is added for the home", ["windows_stack *as_much_as*"],
     ENGINE + "worker.c", "        stack_bytes += INPLACE_GAP;", "        stack_bytes += 0;"),
    ("a parked worker's registers tell no instruction", ["windows_observed *parked*"], REGISTERS,
     ".Rip = (uintptr_t)frame->return_to}", ".Rip = 0}"),
    ("a context that starts is published half made", ["windows_thread_values *", "windows_stack *bounds"],
     INPLACE, "    teb_save(&worker->values);\n    /* A worker", "    /* A worker"),
    # switches of threads
    ("a scheduler keeps its old word", ["windows_ownership *mutex*"], THREAD_SWITCH,
     "    atomic_store_explicit(&scheduler->word, HAND_EMPTY, memory_order_relaxed);\n", ""),
    ("an APC may yield", ["api_win32_apc *"], LEAVE,
     "    if (UMS_UNLIKELY(worker->inside || short_call_is_made(worker))) {",
     "    if (worker->inside && !worker->teb) {"),
    ("a worker that has been saved at home goes on there", ["windows_suspend *", "windows_ownership *mutex*"],
     LEAVE, "        inplace_leave_home(worker, left_home);",
     "        worker->pinned |= 4;\n        left_home(worker);\n        thread_switch_park(worker, false);"),
    ("whoever is killed where it parks goes on", ["windows_user_wait_ends *.sleep"], THREAD_SWITCH,
     "    if (UMS_UNLIKELY(wait_for_word(worker) == HAND_END))\n", "    if (wait_for_word(worker) == 99)\n"),
    # interrupting
    ("flags are lost where a worker is interrupted", ["windows_interrupted *"], INTERRUPT_S,
     "        popfq\n", "        addq    $8, %rsp\n"),
    ("vector registers are lost there", ["windows_interrupted *"], INTERRUPT_S,
     "        xrstor64 (%rsp)\n", ""),
    ("the engine is interrupted", STOPS + ["windows_suspend *"], INTERRUPT,
     "    if (interrupt_in_engine(code) || interrupt_in_system(code))\n",
     "    if (interrupt_in_system(code))\n"),
    ("who holds a lock of ours is interrupted", STOPS + ["windows_suspend *"], INTERRUPT,
     "worker->inside || worker->locks || worker->interrupt ||", "worker->interrupt ||"),
    ("who comes back elsewhere has its registers as they were", ["windows_interrupted *teb*"],
     INTERRUPTED, "        if (offset < TEB_BYTES)\n", "        if (offset < 0)\n"),
    ("an interrupt is told to nobody", ["windows_suspend *", "windows_interrupted *"], INTERRUPTED,
     "        engine_core->worker_stop(self);\n", ""),
    ("the loader is asked while a thread stands still", ["windows_suspend_locked *loaders"], INTERRUPT,
     "    return in_image(system_images.ntdll, code);",
     "    return in_image(GetModuleHandleW(L\"ntdll.dll\"), code);"),
    ("the loader is asked with the lock of window calls held", ["windows_loader_calls *"], ENGINE + "os/ntapi.c",
     "    return is_wine;", "    return GetProcAddress(GetModuleHandleW(L\"ntdll.dll\"), \"wine_get_version\") != NULL;"),
    ("the loader is asked while the engine starts", ["windows_loader_calls *"], ENGINE + "os/hooks.c",
     "    uint8_t *code = system_function(system_images.ntdll, hook->name);",
     "    uint8_t *code = (uint8_t *)(uintptr_t)GetProcAddress(system_images.ntdll, hook->name);"),
    # time
    ("deadlines end with the system's tick", ["windows_fine_sleep * UMSSHIM_SWITCH=inplace UMSSHIM_TEST_AS_WINDOWS=ticks"],
     ENGINE + "waits/agenda.c", "    if (!timer || (timer_due != until", "    if (timer || (timer_due != until"),
    ("registers are set on the way into an exception",
     ["windows_interrupted * UMSSHIM_SWITCH=inplace UMSSHIM_TEST_AS_WINDOWS=exceptions"], INTERRUPT,
     "    if (context.ContextFlags & reports && context.ContextFlags & in_exception)\n        return false;\n", ""),
    # the TEB's address
    ("who comes back from a wait elsewhere has the old address",
     ["windows_ownership *critical* UMSSHIM_SWITCH=inplace UMSSHIM_TEST_AS_WINDOWS=teb", "windows_loader *waits* UMSSHIM_SWITCH=inplace UMSSHIM_TEST_AS_WINDOWS=loader",
      "windows_user_wait_alerts * UMSSHIM_SWITCH=inplace UMSSHIM_TEST_AS_WINDOWS=teb"],
     ENGINE + "switch/teb_follow.c", "        if (*word == before)\n", "        if (*word == before && !now)\n"),
    ("who goes home for a call keeps the block that it left", ["windows_ownership *mutex* UMSSHIM_SWITCH=inplace UMSSHIM_TEST_AS_WINDOWS=teb"],
     INPLACE, "        worker->left_teb = teb_here();", "        worker->left_teb = NULL;"),
    ("who leaves its home after a call keeps its block", ["windows_ownership *mutex* UMSSHIM_SWITCH=inplace UMSSHIM_TEST_AS_WINDOWS=teb"],
     ENGINE + "switch/call.c", "        self->left_teb = teb_here();", "        self->left_teb = NULL;"),
    ("who waits in user mode keeps the block that it left",
     ["windows_identity *thread_id* UMSSHIM_SWITCH=inplace UMSSHIM_TEST_AS_WINDOWS=teb"],
     USER_WAIT, "    self->left_teb = teb_here();", "    self->left_teb = NULL;"),
    ("a wait of the heap's leaves", ["windows_ntdll_locks *"], ENGINE + "os/ntdll_frames.c",
     "    return !in_ntdll || is_one(outermost);", "    return !in_ntdll || is_one(outermost) || outermost;"),
    # stopping
    ("a worker that loads a .NET runtime goes on where it is", ["windows_dotnet *stay_home"], RUNTIME,
     "        inplace_go_home(self);", "        (void)self;"),
    ("workers that are there before a .NET runtime stay where they are",
     ["windows_dotnet *stay_home", "windows_dotnet *another_thread_loads"], RUNTIME,
     "    thread_map_any(pin, NULL);\n", ""),
    ("workers made after a .NET runtime came are not pinned", ["windows_dotnet *"], RUNTIME,
     "        pin(worker, NULL);", "        (void)worker;"),
    ("a .NET runtime that is there before the first worker is not seen", ["windows_dotnet *first_worker"],
     RUNTIME, "            pin_all(runtimes[i].told);\n    atomic_store", "            continue;\n    atomic_store"),
    ("a frozen worker is frozen again", STOPS_PINNED, STOP, "ok = is_under_way(worker) && !worker->inside",
     "ok = (is_under_way(worker) || worker->teb) && !worker->inside"),
    ("a resume reaches the system's count", STOPS_PINNED, CONTROL,
     "    uint32_t before = ums__worker_resume(ums__of(context));\n",
     "    uint32_t before = ums__worker_resume(ums__of(context));\n"
     "    if (!before)\n        return nt.NtResumeThread(thread, previous);\n"),
    ("one that ends before it has parked does not arrive", STOPS, "umsshim/stop.c",
     "(state != UMS_STARTING || !worker->held_back)", "state != UMS_STARTING"),
    ("a frozen worker is not resumed", STOPS_PINNED + ["windows_suspend * UMSSHIM_SWITCH=pinned"], STOP,
     "    ntapi_resume(thread);\n    CloseHandle(thread);\n}", "    CloseHandle(thread);\n}"),
    ("the registers of a stopped thread are asked for through our hook",
     ["api_win32_suspend_threads *and_is_none"], STOP,
     "    if (!thread_registers(thread, &context))", "    if (!GetThreadContext(thread, &context))"),
    ("a thread is stopped in the engine", ["api_win32_suspend_threads *and_is_none"], STOP,
     "        return interrupt_in_engine((void *)context.Rip) || plain_locks_of(id);", "        return false;"),
    ("a thread that is leaving may be ended", ["api_win32_terminate_running *workers_that_end*",
                                               "windows_user_wait_ends *at_once"],
     ENGINE + "os/thread_map.c", "        if (!leaving)\n", "        if (!leaving || true)\n"),
    # alerts
    ("an alert that comes before the wait is lost", ["windows_user_wait_alerts *"], ALERT,
     "was == ALERT_USER ? ALERT_NONE : ALERT_PENDING", "ALERT_NONE"),
    ("a wait in vain reads as satisfied", ["windows_user_wait_alerts *in_vain"], WAIT_SERVICE,
     "        user_wait_take(worker, CALL_STATUS_TIMEOUT);\n        return true;\n    }",
     "        user_wait_take(worker, WAIT_STATUS_ALERTED);\n        return true;\n    }"),
    ("an alert leaves the deadline behind", ["windows_user_wait_alerts *", "windows_user_wait_races *"], ALERT,
     "        deadlines_remove(worker);\n        plat_unlock(&wait_lock);\n    }\n    worker->wait.status",
     "        plat_unlock(&wait_lock);\n    }\n    worker->wait.status"),
    # waits
    ("a wait loses the last error", ["windows_blocking_objects *last_error", "windows_thread_values *"], USER_WAIT,
     "    plat_set_last_error(error);\n    return waited;", "    plat_set_last_error(error + 1);\n    return waited;"),
    ("time-outs come early", ["windows_user_wait_objects *not_early"], USER_WAIT,
     "plat_now() + ticks * NS_OF_TICK", "plat_now() + ticks * (NS_OF_TICK - 20)"),
    ("a delay is not cancelled", ["windows_user_wait_ends *.sleep*"], ENGINE + "waits/user_wait_cancel.c",
     "how == WAIT_DELAY || how == WAIT_QUEUED", "how == WAIT_QUEUED"),
    ("a wait that is taken back stays on its record for a thread that cancels it",
     ["api_win32_terminate_running *before_they_begin"], OBJECT_WAIT,
     "        atomic_store_explicit(&worker->wait.how, WAIT_ENTERING, memory_order_relaxed);\n", ""),
    ("a wait that is taken back lets a suspended worker run",
     ["api_win32_suspend_running *before_they_begin"], "umsshim/worker.c",
     "        ums__worker_stopped(scheduler, worker);\n", "        (void)0;\n"),
    ("a wait in the pool is not cancelled", ["windows_user_wait_ends *event_waited_for_long"], POOL_WAIT,
     "    arm->next = cancelled;\n    cancelled = arm;\n", ""),
    ("a set manual event is taken for empty", ["windows_user_waits *stays_set*"], OBJECT_WAIT,
     "(status == WAIT_STATUS_SUCCESS && kind == HANDLE_AUTO)", "(status == WAIT_STATUS_SUCCESS)"),
    ("a signal leaves the record empty", ["windows_user_waits *"], DIRECT,
     "(word & ~(uint32_t)INFO_EMPTY) + INFO_SIGNAL", "word + INFO_SIGNAL"),
    ("more permits than waiters are lost", ["windows_user_waits *", "windows_user_wait_races *"], DIRECT,
     "memory_order_relaxed) >= count)", "memory_order_relaxed) >= 1)"),
    ("one signal lets all go", ["windows_user_waits *", "windows_user_wait_races *"], DIRECT,
     "hand_over(info, 1))\n        return WAIT_STATUS_SUCCESS;\n    if (kind == HANDLE_MANUAL && info",
     "hand_over(info, atomic_load(&info->direct)))\n        return WAIT_STATUS_SUCCESS;\n"
     "    if (kind == HANDLE_MANUAL && info"),
    ("who loads leaves its wait to the pool", ["windows_wait_places *loads* UMSSHIM_SWITCH=inplace"], OBJECT_WAIT,
     "            if (loader_is_at_work_here())", "            if (timed)"),
    ("who is on its own thread leaves its wait to the pool",
     ["windows_wait_places *own_thread UMSSHIM_SWITCH=inplace"], OBJECT_WAIT,
     "(!self->host || !pool_wait_has_begun())", "!pool_wait_has_begun()"),
    ("who sleeps beside one that is gone is not woken", ["api_completion_sleepers *one_of_them*"],
     ENGINE + "waits/event.c", "!wake_alerted(event) || SLEEPERS(word) > 1)\n", "!wake_alerted(event))\n"),
    ("an arrival beside sleepers sets no event", ["api_completion_sleepers *"], ENGINE + "waits/event.c",
     "    if (word & SET)\n        return;\n", "    if (word & (CALLER - 1))\n        return;\n"),
    ("who sleeps by alert hears of no handle", ["api_completion_sleepers *handle*"],
     ENGINE + "waits/event.c", "        wake_alerted(event); /* that thread", "        /* that thread"),
    ("an event is set for the list that had it before", ["windows_list_event *has_it_now*"],
     ENGINE + "waits/event.c", "        if (word & SET || word / LIFE != life)\n", "        if (word & SET)\n"),
    ("an event is another list's before the system was told", ["windows_list_event *was_told*"],
     ENGINE + "waits/event.c", "    if (!CALLERS(word))\n        free_event(event);", "    free_event(event);"),
    ("a list begins with what a sleeper left", ["windows_list_event *left_of_a_sleeper*"],
     ENGINE + "waits/event.c", "        return ResetEvent(event->handle);\n", "        return true;\n"),
    ("nobody asks the system for a TEB", ["api_worker_creation *"], "umsshim/thread_info.c",
     "teb || is_terminated(state) ?", "teb || !is_terminated(state) ?"),
    ("who waits directly for long is left there", ["windows_winsock *requests*"],
     ENGINE + "waits/direct_ages.c", "        direct_give_up(worker, tick);\n", "        (void)worker;\n"),
    ("a time-out ends a wait that was signalled", ["windows_user_wait_races *", "stress_random_waits *"],
     ENGINE + "waits/direct_waiters.c", "        if (atomic_load_explicit(&worker->wait.how, memory_order_relaxed) == WAIT_DIRECT &&\n            worker->wait.info == info)\n", "        if (worker->wait.info == info)\n"),
    ("a shared event counts as private", ["windows_user_waits *duplicated*"], DIRECT,
     "        change(info, HANDLE_OTHER);", "        (void)change;"),
    ("a closed handle is remembered", ["windows_user_waits *closed*"], DIRECT,
     "    if (handle_kind(info) != HANDLE_UNKNOWN)\n        change(info, HANDLE_UNKNOWN);", ""),
    ("a pulse does not let all go", ["windows_user_waits *pulse*"], DIRECT,
     "    if (kind == HANDLE_MANUAL)\n        return release_all(info, ORIGINAL_OF(NtPulseEvent)",
     "    if (kind == HANDLE_UNKNOWN)\n        return release_all(info, ORIGINAL_OF(NtPulseEvent)"),
    # directed switches
    stays_here("NtReleaseMutant", ["windows_ownership *"]),
    stays_here("NtSetInformationThread", ["windows_identity *", "windows_token *set_*"]),
    stays_here("NtQueryInformationThread", ["windows_identity *"]),
    stays_here("NtQueueApcThread", ["windows_identity *apcs*"]),
    stays_here("NtSetTimer", ["windows_thread_io *timers*"]),
    stays_here("NtCancelIoFile", ["windows_thread_io *cancel*"]),
    stays_here("NtOpenThreadToken", ["windows_token *given_by*"]),
    ("who has a token does not stay home", ["windows_token *"], ENGINE + "calls/token_pin.h",
     "        atomic_fetch_or(&context->pinned, PINNED_TOKEN);", "        (void)context;"),
    ("a scheduler lends its token", ["windows_token *of_a_scheduler*"], ENGINE + "plat_types.h",
     "          atomic_load_explicit(&scheduler->pinned, memory_order_relaxed)) &&",
     "          0) &&"),
    ("the wait for several objects is no call that waits", ["windows_ownership *two*",
     "api_win32_wait_many *all*"], CALLS,
     "CALL(NtWaitForMultipleObjects, WAIT, USER_WAIT, HOME, NEEDED)",
     "CALL(NtWaitForMultipleObjects, IDENTITY, USER_WAIT, HOME, NEEDED)"),
    # tokens, and the end of the process
    ("a server goes on without its client's token", ["windows_token *client*"], ENGINE + "calls/call_file.c",
     "        token_pin(self, true);\n", "        (void)self;\n"),
    ("who gives a token to itself goes on elsewhere", ["windows_token *set_*"], IDENTITY,
     "    if (yes && context && context == call_worker())\n", "    if (yes && !context)\n"),
    ("a handle that may not ask is a plain thread's", ["windows_token *nothing_else", "windows_suspend *nothing_else*"],
     ENGINE + "os/thread_handle.c", "    id = ask_a_duplicate(thread);\n    if (!id)\n        id = find_by_comparing(thread);\n",
     "    if (!thread)\n        id = ask_a_duplicate(thread) + find_by_comparing(thread);\n"),
    ("a worker ends the process where it is", ["windows_process_end *"], CONTROL,
     "    if (self)\n        inplace_go_home(self);\n    late_ends_wait();", "    (void)self;\n    late_ends_wait();"),
    ("a request to a driver is made on the scheduler's time", ["windows_winsock *.recv"], ENGINE + "calls/call_file.c",
     "    struct plat_context *worker = file_call_begins(CALL_OF_HANDLER, file, FILE_CONTROLS);\n"
     "    LEAVE_AND_CALL(worker, ORIGINAL(NtDeviceIoControlFile)(",
     "    struct plat_context *worker = NULL;\n    LEAVE_AND_CALL(worker, ORIGINAL(NtDeviceIoControlFile)("),
    ("what a file is is asked on the scheduler's time", ["windows_file_lock *"], ENGINE + "calls/call_file.c",
     "    short_call_begin(self, patience);\n    inplace_go_home(self);\n    atomic_store_explicit(&self->call_began, plat_now(), memory_order_relaxed);\n    *kind = file_kind_of(file);\n",
     "    *kind = file_kind_of(file);\n    if (patience)\n        return true;\n"),
    ("a lock is tried on the scheduler's time", ["windows_file_lock *try*"], ENGINE + "calls/call_file.c",
     "    short_call_begin(self, file_moment());\n", "    short_call_begin(self, file_moment() * 600000);\n"),
    ("a handler's call is a bad place", ["windows_short_calls *at_once*"], ENGINE + "switch/interrupt.c",
     "(!caller || in_ntdll(caller));", "(!caller || in_ntdll(caller) || interrupt_in_engine(caller));"),
    ("workers' waits are left to the program's pool", ["windows_loader *has_its_lock"], POOL_WAIT,
     "        own_pool = &environment;\n", "        own_pool = NULL;\n"),
    ("the first wait starts a thread", ["windows_loader *has_its_lock"], POOL_WAIT,
     "    PTP_WAIT wait = CreateThreadpoolWait(begin, event, own_pool);\n",
     "    PTP_WAIT wait = NULL;\n    begin(NULL, event, wait, 0);\n"),
    ("window calls are known by two beginnings of their names", ["windows_window_calls *all_names*"],
     ENGINE + "calls/window_calls.c", "    return engine_in_place || wait_named(name) != NULL;",
     "    return (engine_in_place && (strncmp(name, \"NtUser\", 6) == 0 || strncmp(name, \"NtGdi\", 5) == 0)) ||\n"
     "           wait_named(name) != NULL;"),
    ("files have no version", ["windows_pe_files_unlinked *versions"], "winapi/windows/version.rc.in",
     "1 VERSIONINFO\n", "2 VERSIONINFO\n"),
    ("changes of the registry are not seen", ["windows_blocking_calls *registry*"], ENGINE + "calls/call_message.c",
     "    if (asynchronous) {\n        ask_at_home();\n        return ORIGINAL(NtNotifyChangeKey)",
     "    if (asynchronous < 2) {\n        ask_at_home();\n        return ORIGINAL(NtNotifyChangeKey)"),
    # other people's jumps
    ("somebody else's jump is not called", ["windows_hooks_of_others_unlinked *before_a*"], ENGINE + "os/trampolines.c",
     "             stub->kind == STUB_USUAL ? trampoline->code + own : stub->target);",
     "             trampoline->code + (own ? own : 8));"),
    ("the system call is not made in its module", ["windows_hooks_unlinked *made_in*"], ENGINE + "os/trampolines.c",
     "    size_t own = stub->kind == STUB_USUAL ? sizeof trampoline->before : stub->at;\n"
     "    memcpy(trampoline->stub, trampoline->code, own);\n",
     "    size_t own = stub->kind == STUB_USUAL ? sizeof trampoline->stub : stub->at;\n"
     "    memcpy(trampoline->stub, trampoline->code, own);\n    if (own == sizeof trampoline->stub)\n        return;\n"),
    # names
    ("imports are known by where they lead", ["windows_imports_unlinked *are_one"], "winapi/windows/interpose.c",
     "!(in_ntdll || asks_kernel32(dll))", "!(in_ntdll || !asks_kernel32(dll))"),
    ("ntdll's names are not served where ntdll lacks them", ["windows_imports_unlinked *of_ntdll"],
     "winapi/windows/names.c", "    if ((module == kernel32 || module == ntdll) &&", "    if (module == kernel32 &&"),
    ("imports from ntdll are left as they are", ["windows_imports_unlinked *from_ntdll"],
     "winapi/windows/interpose.c", "    bool in_ntdll = asks_ntdll(dll);", "    bool in_ntdll = asks_ntdll(dll) && !lookup;"),
    ("directories of imports are believed", ["windows_damaged_imports_unlinked *"], "winapi/windows/interpose.c",
     "    return can_read(change, at, bytes) ? at : NULL;", "    return can_read(change, at, bytes * 0) ? at : NULL;"),
    ("no memory is named for import addresses", ["windows_pe_by_hand_unlinked *addresses*", "windows_pe_by_hand_unlinked *at_all"],
     "winapi/windows/umsrun/inject.c", "    if (addresses->VirtualAddress)\n", "    if (addresses)\n"),
    ("a directory bound ahead is left", ["windows_pe_by_hand_unlinked *bound"], "winapi/windows/umsrun/inject.c",
     "    memset(&directories[IMAGE_DIRECTORY_ENTRY_BOUND_IMPORT]", "    memset(&directories[IMAGE_DIRECTORY_ENTRY_SECURITY]"),
    # walks
    ("the fence is not raised for the loader", ["windows_loader *all_the_time*", "windows_loader *come_later*"],
     ENGINE + "switch/teb_fence.c", "    atomic_fetch_add(&teb_fence_raised, 1);\n    wait_for_exchanges();\n}\n\nvoid teb_fence_module",
     "    atomic_fetch_add(&teb_fence_raised, 1);\n    teb_fence_module_loaded();\n}\n\nvoid teb_fence_module"),
    ("a worker that loads may not pass the fence", ["windows_loader *waits*"], ENGINE + "switch/teb_fence.h",
     "    return UMS_UNLIKELY(atomic_load_explicit(&teb_fence_raised, memory_order_relaxed)) &&\n",
     "    return atomic_load_explicit(&teb_fence_raised, memory_order_relaxed) > 99 &&\n"),
    # calls that are expected to be short
    ("a scheduler waits for a call for ever", ["windows_short_calls *one_that*"], SHORT_CALLS,
     "        } else if (now >= until) {", "        } else if (now >= until && !call) {"),
    ("who would come too late is not woken", ["windows_short_calls *one_that* UMSSHIM_SWITCH=pinned"],
     SHORT_CALLS, "        wake(scheduler);", "        (void)wake;"),
    ("a stopped call may be told", ["windows_short_calls *suspended_in*"], SHORT_CALLS,
     "    if (held && (call & SHORT_CALL_STATES) == CALL_MADE)",
     "    if (held && (call & SHORT_CALL_STATES) > CALL_TOLD)"),
    # whether the call is suspended before it counts as a block is a matter of moments
    ("a stopped call is not watched again", ["windows_short_calls *suspended_in*"] * 6, SHORT_CALLS,
     "    if ((call & SHORT_CALL_STATES) == CALL_HELD)",
     "    if ((call & SHORT_CALL_STATES) > CALL_TOLD)"),
    ("no write is taken for short", ["api_traces *", "windows_short_calls *cost*"], HABITS,
     "    if (writes && (on_disk || !lapses))\n", "    if (writes && lapses > 99)\n"),
    ("shorts are not counted", ["windows_short_calls *reads_of*"], HABITS,
     "        shorts++;\n", "        shorts += 0;\n"),
]

# Not noticed yet: each wants a test. They are tried, and do not count as survivors.
UNNOTICED = [
    "an APC may yield",
    "flags are lost where a worker is interrupted",
    "the engine is interrupted",
    "who holds a lock of ours is interrupted",
    "a shared event counts as private",
    "a pulse does not let all go",
    "the wait for several objects is no call that waits",
    "a thread that is leaving may be ended",
    "the fence is not raised for the loader",
    "a worker that loads may not pass the fence",
    "a stopped call may be told",
]

# What a review against public facts about Windows 10 22H2 to 11 25H2 found that a user would meet first, in its order:
# each is a mutant, and noticed.
REVIEW = [
    "imports are known by where they lead",
    "a worker ends the process where it is",
    "a server goes on without its client's token",
    "a switch leaves the TEB's activation",
    "what a file is is asked on the scheduler's time",
    "somebody else's jump is not called",
    "facts of a process's first thread make all others rare",
    "who loads leaves its wait to the pool",
    "window calls are known by two beginnings of their names",
    "files have no version",
]

# Of different parts.
SHORT = ["a switch leaves the TEB's last_error", "MXCSR is lost", "a closed handle is remembered"]
