# SPDX-License-Identifier: MIT
# mutants.py - ways to break the implementation, for mutate.py: a name, the clauses that are meant
# to notice, a file, the text that is there once, and what to put in its place.

LIST = "umsshim/completion_list.c"
ARRIVALS = "umsshim/list.c"
CONTEXT = "umsshim/context.c"
ACTIVATION = "umsshim/activation.c"
ARRIVAL = "umsshim/arrival.c"
WORKER = "umsshim/worker.c"
SCHEDULER = "umsshim/scheduler.c"
STOP = "umsshim/stop.c"
INFO = "umsshim/thread_info.c"
OBJECT = "platform/linux/dispatch/object.c"
SWITCH = "platform/linux/switch/switch.S"
ATTRIBUTES = "winapi/linux/attribute_list.c"
THREAD = "winapi/linux/thread.c"

PUSH_EVENT = """memory_order_release, memory_order_relaxed));
    if (!head)
        plat_event_set(event, life);
}"""
RELEASE = """    if (chain)
        chain = ums__list_release(chain);
"""
TAKE_ALL = """        chain = atomic_exchange_explicit(&list->head, NULL, memory_order_acquire);
    if (!chain && WaitTimeOut)"""

MUTANTS = [
    # completion lists
    ("first in, first out", "DQ-9", LIST, RELEASE, """    struct ums_context *turned = NULL;
    while (chain) {
        struct ums_context *rest = chain->list_next;
        chain->list_next = turned;
        turned = chain;
        chain = rest;
    }
    chain = turned ? ums__list_release(turned) : NULL;
"""),
    ("one item for each dequeue", "DQ-1", LIST, RELEASE, """
    struct ums_context *rest = chain ? chain->list_next : NULL;
    if (chain) {
        chain->list_next = NULL;
        chain = ums__list_release(chain);
    }
    while (rest) {
        struct ums_context *one = rest;
        rest = rest->list_next;
        ums__list_push(list, one);
    }
"""),
    ("two consumers may take one chain", "DQ-10,MX-6", LIST, TAKE_ALL, """    {
        chain = atomic_load_explicit(&list->head, memory_order_acquire);
        for (volatile int pause = 0; pause < 3000; pause++)
            ;
        atomic_store_explicit(&list->head, NULL, memory_order_release);
    }
    if (!chain && WaitTimeOut)"""),
    ("the event is set by every arrival", "EV-4", ARRIVALS, PUSH_EVENT,
     PUSH_EVENT.replace("    if (!head)\n    ", "")),
    ("no arrival sets the event", "EV-1", ARRIVALS, PUSH_EVENT, PUSH_EVENT.replace("!head", "!event")),
    ("a dequeue resets the event", "EV-6", LIST, RELEASE,
     "    if (chain)\n        plat_event_wait(list->event, 0);\n" + RELEASE),
    ("the event stays signalled", "EV-5", OBJECT, "        event->object.type = OBJECT_AUTO_EVENT;",
     "        event->object.type = OBJECT_MANUAL_EVENT;"),
    ("one handle for all calls", "EV-2", LIST,
     "    error = plat_event_handle(list->event, UmsCompletionEvent);",
     """    static HANDLE only;
    static struct ums_list *whose;
    if (whose == list) {
        *UmsCompletionEvent = only;
        return TRUE;
    }
    error = plat_event_handle(list->event, UmsCompletionEvent);
    only = *UmsCompletionEvent;
    whose = list;"""),
    ("an empty dequeue fails", "DQ-2", LIST, """    *UmsThreadList = chain;
    return chain || !atomic_load_explicit(&ums__strict, memory_order_relaxed);""", """    *UmsThreadList = chain;
    return chain != NULL;"""),
    ("a time-out leaves no last error", "DQ-2", LIST, "plat_set_last_error(ERROR_TIMEOUT)",
     "(void)0"),
    ("a dequeue leaves the result alone", "DQ-7", LIST,
     "    *UmsThreadList = NULL;\n    struct ums_context *chain = NULL;\n",
     "    struct ums_context *chain = NULL, *unseen;\n"
     "#define UmsThreadList (chain ? UmsThreadList : (PUMS_CONTEXT *)&unseen)\n"),
    ("time-outs are half as long", "DQ-5", LIST, "(uint64_t)milliseconds * 1000000u",
     "(uint64_t)milliseconds * 500000u"),
    ("a spurious wake ends a dequeue", "EV-8", LIST, "    } while (!chain);", "    } while (0);"),
    ("GetNext leaves the link", "NX-2", LIST,
     "next = atomic_exchange_explicit(&next->chain_next, NULL, memory_order_relaxed);",
     "next = atomic_load_explicit(&next->chain_next, memory_order_relaxed);"),
    ("the end of a chain is an error", "NX-4", LIST,
     "            return NULL; /* the most frequent case: a chain of one */",
     "            return plat_set_last_error(ERROR_NO_MORE_ITEMS), NULL;"),
    ("a list with workers is not deleted", "DL-3", LIST,
     "    if (!ums__is_list(list) ||\n        !atomic",
     "    if (!ums__is_list(list) || atomic_load(&list->head) ||\n        !atomic"),
    # contexts
    ("a fresh context reads alive", "TC-2", INFO, "state == UMS_EMPTY || state == UMS_TERM_QUEUED",
     "state == UMS_TERM_QUEUED"),
    ("IsTerminated is set after the push", "DT-5", INFO,
     "state == UMS_EMPTY || state == UMS_TERM_QUEUED", "state == UMS_EMPTY"),
    ("a live context can be deleted", "DT-2", CONTEXT,
     "        ums__state_claim(&context->state, UMS_TERMINATED, UMS_FREE)) {",
     """        ums__state_claim(&context->state, UMS_READY, UMS_FREE) ||
        ums__state_claim(&context->state, UMS_TERMINATED, UMS_FREE)) {"""),
    ("an ended, queued context is freed at once", "DT-5", CONTEXT,
     "ums__state_claim(&context->state, UMS_TERM_QUEUED, UMS_ZOMBIE))\n        return TRUE;",
     """ums__state_claim(&context->state, UMS_TERM_QUEUED, UMS_FREE)) {
        ums__arena_free(&ums__contexts, context);
        return TRUE;
    }"""),
    ("creation forgets the user context", "TC-4", WORKER, "    context->plat.scheduler = NULL;\n",
     "    context->plat.scheduler = NULL;\n    context->user_context = NULL;\n"),
    ("a context serves one thread only", "TC-6", WORKER,
     "!ums__state_claim(&context->state, UMS_EMPTY, UMS_STARTING) &&\n"
     "        !ums__state_claim(&context->state, UMS_TERMINATED, UMS_STARTING))",
     "!ums__state_claim(&context->state, UMS_EMPTY, UMS_STARTING))"),
    # creation
    ("the attribute is a copy", "AT-3", ATTRIBUTES, "attributes->UmsVersion != UMS_VERSION &&",
     ""),
    ("the attribute's size is not looked at", "AT-4", ATTRIBUTES, "(SIZE_T)size != cbSize",
     "!cbSize"),
    ("an attribute may be there twice", "AT-5", ATTRIBUTES, "lpAttributeList->present & bit)",
     "lpAttributeList->present & bit & 1)"),
    ("the version of the attributes is not looked at", "CT-4", THREAD,
     "ums.UmsVersion != UMS_VERSION)", "false)"),
    ("suspended workers arrive at once", "CT-7", WORKER,
     "if (!(atomic_load_explicit(&worker->stop, memory_order_acquire) & UMS_HELD) &&\n"
     "        ums__state_claim(&worker->state, UMS_STARTING, UMS_QUEUED))",
     "if (ums__state_claim(&worker->state, UMS_STARTING, UMS_QUEUED))"),
    ("a resumed new worker never arrives", "CT-7", STOP,
     "state == UMS_STOPPED || state == UMS_STARTING",
     "state == UMS_STOPPED"),
    ("the exit code is lost", "CT-10", WORKER, "plat_set_exit_code(plat, plat_call_start(",
     "plat_set_exit_code(plat, 0 * plat_call_start("),
    # schedulers
    ("the entry's version is not looked at", "ES-2", SCHEDULER,
     "SchedulerStartupInfo->UmsVersion != UMS_VERSION ||", ""),
    ("leaving reports a failure", "ES-7", SCHEDULER,
     "return error ? ums__fail((uint32_t)error) : TRUE;\n}\n\n/* Why",
     "return error ? ums__fail((uint32_t)error) : FALSE;\n}\n\n/* Why"),
    ("Startup gets no parameter", "SP-1", ACTIVATION, "0, scheduler->proc_param);", "0, NULL);"),
    ("the stack is not cut back", "SP-6", "umsshim/core.h", "    plat_restart(&scheduler->plat, (void *)",
     "    scheduler->plat.sp = (char *)scheduler->plat.sp - 64;\n"
     "    plat_restart(&scheduler->plat, (void *)"),
    ("Yield tells no context", "YD-1", SCHEDULER, "UmsSchedulerThreadYield, (ULONG_PTR)worker, param",
     "UmsSchedulerThreadYield, 0 * (ULONG_PTR)worker, param"),
    ("Yield tells no parameter", "YD-1", SCHEDULER, "(ULONG_PTR)worker, param);",
     "(ULONG_PTR)worker, param ? worker : NULL);"),
    ("a yield queues the worker", "YD-3", SCHEDULER,
     "    ums__state_set(&worker->state, UMS_RUNNING, UMS_READY);\n    ums__activate",
     "    ums__state_set(&worker->state, UMS_RUNNING, UMS_QUEUED);\n"
     "    ums__list_push(worker->list, worker);\n    ums__activate"),
    ("waits are told as traps", "SP-2,BL-1", WORKER,
     "        take_back(scheduler, worker);\n"
     "    ums__activate(ums__of(scheduler), UmsSchedulerThreadBlocked, 1, NULL);",
     "        take_back(scheduler, worker);\n"
     "    ums__activate(ums__of(scheduler), UmsSchedulerThreadBlocked, 0, NULL);"),
    ("Blocked tells who it was", "SP-2", WORKER,
     "        take_back(scheduler, worker);\n"
     "    ums__activate(ums__of(scheduler), UmsSchedulerThreadBlocked, 1, NULL);",
     "        take_back(scheduler, worker);\n"
     "    ums__activate(ums__of(scheduler), UmsSchedulerThreadBlocked, 1, worker);"),
    ("a worker's wait keeps its scheduler", "BL-1", "platform/linux/dispatch/wait.c",
     "if (self && !self->is_scheduler && self->scheduler)",
     "if (self && !self->is_scheduler && self->scheduler && !deadline)"),
    # executing
    ("wrong FS base after a migration", "MX-6", SCHEDULER,
     "    if (UMS_LIKELY(claimed))\n        worker->plat.scheduler = &scheduler->plat;\n",
     "    if (UMS_LIKELY(claimed)) {\n"
     "        if (worker->plat.scheduler && worker->plat.scheduler != &scheduler->plat)\n"
     "            ahead = scheduler->plat.fs_base;\n"
     "        worker->plat.scheduler = &scheduler->plat;\n    }\n"),
    ("a block loses the last error", "BL-6", WORKER,
     "    return plat_leave(plat, plat->scheduler, ums__worker_after_wait, worker);",
     "    plat_leave(plat, plat->scheduler, ums__worker_after_wait, worker);\n"
     "    plat_set_last_error(0);\n    return 1;"),
    ("a yield loses the last error", "CT-11", SCHEDULER,
     "    return plat_leave(&worker->plat, worker->plat.scheduler, after_yield, worker);",
     "    plat_leave(&worker->plat, worker->plat.scheduler, after_yield, worker);\n"
     "    plat_set_last_error(0);\n    return 1;"),
    ("r15 is lost over a switch", "EX-14", SWITCH, "        mov     8(\\reg), %r15\n", ""),
    ("MXCSR is lost over a switch", "EX-14", SWITCH, "        ldmxcsr (\\reg)\n", ""),
    ("activations inherit MXCSR", "SP-7", SWITCH,
     "        ldmxcsr ctx_mxcsr(%rip)\n        cmpw", "        cmpw"),
    ("a running target is a bad parameter", "EX-7", SCHEDULER, "return ERROR_INTERNAL_ERROR;",
     "return ERROR_INVALID_PARAMETER;"),
    ("an ended target is in use", "EX-8", SCHEDULER, "return ERROR_INVALID_PARAMETER; /* no thread",
     "return ERROR_INTERNAL_ERROR; /* no thread"),
    ("plain threads: a bad parameter", "EX-5", SCHEDULER,
     "if (!error && worker && !scheduler)\n        error = ERROR_NOT_SUPPORTED;",
     "if (!error && worker && !scheduler)\n        error = ERROR_INVALID_PARAMETER;"),
    ("suspended workers are executed", "EX-9", SCHEDULER,
     "    if (UMS_UNLIKELY(atomic_load_explicit(&worker->stop, memory_order_relaxed) & unless) ||\n"
     "        UMS_UNLIKELY(!ums__state_claim(&worker->state, UMS_READY, UMS_RUNNING)))\n"
     "        return false;\n"
     "    if (UMS_LIKELY(!(atomic_load_explicit(&worker->stop, memory_order_seq_cst) & unless)))\n",
     "    if (UMS_UNLIKELY(!ums__state_claim(&worker->state, UMS_READY, UMS_RUNNING)))\n"
     "        return false;\n"
     "    if (unless)\n"),
    ("a context may be claimed twice", "EX-12", SCHEDULER,
     "        UMS_UNLIKELY(!ums__state_claim(&worker->state, UMS_READY, UMS_RUNNING)))\n"
     "        return false;\n",
     "        false)\n        return false;\n"
     "    if (ums__state(worker) != UMS_READY)\n        return false;\n"
     "    for (volatile int pause = 0; pause < 20000; pause++)\n        ;\n"
     "    atomic_store(&worker->state, UMS_RUNNING);\n"),
    # where workers arrive
    ("arrivals go to the list of creation", "BL-4,CX-1", ARRIVAL,
     "    set_list(worker, list);\n}\n\nvoid ums__worker_part",
     "    (void)list;\n}\n\nvoid ums__worker_part"),
    ("unblocked workers arrive on the list of creation", "BL-4", WORKER,
     "    ums__worker_follow(worker);\n"
     "    ums__state_set(&worker->state, UMS_RUNNING, UMS_BLOCKED);",
     "    ums__state_set(&worker->state, UMS_RUNNING, UMS_BLOCKED);"),
    ("ended workers arrive on the list of creation", "LF-1", "umsshim/exit.c",
     "    ums__worker_follow(worker);\n    worker->plat.scheduler = NULL;",
     "    worker->plat.scheduler = NULL;"),
    ("resumed workers arrive on the list of creation", "SU-3", STOP,
     "    ums__worker_follow(worker);\n    ums__worker_stopped(", "    ums__worker_stopped("),
    ("given back, workers arrive on the list of creation", "ES-12", STOP,
     "    ums__worker_follow(worker);\n    struct ums_list *list", "    struct ums_list *list"),
    ("workers arrive on the list of their first scheduler", "EX-13,MX-7", ARRIVAL,
     "    if (list != worker->first_list)\n        ums__list_hold(list);",
     "    if (list_of(worker) != worker->first_list)\n        return;\n"
     "    if (list != worker->first_list)\n        ums__list_hold(list);"),
    ("strict is always on", "BL-4", "umsshim/core.c",
     'plat_switch("UMSSHIM_STRICT", \'1\')', "true"),
    # information
    ("a scheduler has no context", "GC-2", SCHEDULER,
     "    if (self)\n        return ums__of(self);",
     "    if (self && !self->is_scheduler)\n        return ums__of(self);"),
    ("a longer buffer will do", "QI-3", INFO, "length != UmsThreadInformationLength",
     "length > UmsThreadInformationLength"),
    ("a wrong length is 122", "QI-4", INFO,
     "    if (length != UmsThreadInformationLength)\n        return ums__fail(ERROR_BAD_LENGTH);",
     "    if (length != UmsThreadInformationLength)\n"
     "        return ums__fail(ERROR_INSUFFICIENT_BUFFER);"),
    ("a reserved class is 87", "QI-5", INFO,
     "    if (!length)\n        return ums__fail(ERROR_NOT_SUPPORTED);",
     "    if (!length)\n        return ums__fail(ERROR_INVALID_PARAMETER);"),
    ("ReturnLength keeps its value after a failure", "QI-6", INFO,
     "    if (ReturnLength)\n        *ReturnLength = 0;\n", ""),
    ("workers count as schedulers", "SY-2", INFO, "? 2 : 1;", "? 1 : 1;"),
    ("flags are or-ed in", "SY-1", INFO, "SystemThreadInfo->ThreadUmsFlags = ",
     "SystemThreadInfo->ThreadUmsFlags |= "),
    # stopping
    ("IsSuspended always reads 0", "QI-11", INFO, "memory_order_acquire) & UMS_SUSPENDS &&",
     "memory_order_acquire) & 0 &&"),
    ("a resume queues what the program holds", "SU-2", STOP,
     "(state == UMS_STOPPED || state == UMS_STARTING))",
     "(state == UMS_STOPPED || state == UMS_STARTING || state == UMS_READY))"),
    ("a suspension is told as a system call", "SU-3", STOP,
     "UmsSchedulerThreadBlocked, 0, NULL", "UmsSchedulerThreadBlocked, 1, NULL"),
    ("a worker ended from outside is queued always", "LF-5", STOP,
     "bool queue = state != UMS_READY && (state != UMS_STARTING || !worker->held_back);", "bool queue = true;"),
    ("the switch off is not looked at", "NS-1", "platform/linux/os/caps.c",
     "if (plat_switch(\"UMSSHIM_DISABLE\", '1'))", "if (plat_switch(\"UMSSHIM_DISABLE\", '2'))"),
    # reserved parameters, births, the TEB, what the page says of time-outs
    ("flags of an attribute list ignored", "AT-9", ATTRIBUTES,
     "if (!lpAttributeList || dwFlags || lpPreviousValue || lpReturnSize)", "if (!lpAttributeList)"),
    ("the TEB does not know itself", "QI-13", "platform/linux/os/teb.c", "    teb->self = teb;",
     "    teb->self = teb + 1;"),
    ("stack limits the wrong way round", "QI-13", "platform/linux/os/teb.c",
     "    teb->stack_base = stack_base;", "    teb->stack_base = stack_limit;"),
    ("a default stack of a quarter", "CT-14", "winapi/linux/stack.h", "DEFAULT_STACK = 1 << 20",
     "DEFAULT_STACK = 1 << 18"),
]

# Different enough that a broken kit would let one through.
SHORT = ["first in, first out", "the event is set by every arrival", "the stack is not cut back"]
