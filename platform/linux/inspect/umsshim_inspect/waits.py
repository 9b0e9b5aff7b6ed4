# SPDX-License-Identifier: MIT
"""waits.py - the thing that a worker, a scheduler or a plain thread waits for, and its owner.

    system calls    the worker's record of its call
    objects, time   the wait on the waiter's stack; its thread object tells on which object's list the wait is
    addresses       the same; the wait's function, which decides whether to go on, tells which call it is

Owners: a mutex, a critical section and an SRW lock that a writer has name their owner. A futex call that waits as
glibc's pthread_mutex_lock does passes for one if the word beside the futex is the id of a living thread.
"""
import struct

from .memory import Unreadable

FOREVER = (1 << 64) - 1

FUTEX_WAIT, FUTEX_LOCK_PI, FUTEX_WAIT_BITSET, FUTEX_LOCK_PI2, FUTEX_COMMAND = 0, 6, 9, 13, 0x7F
FUTEX_TID = 0x3FFFFFFF

OBJECTS = {
    "AUTO_EVENT": "auto-reset event", "MANUAL_EVENT": "manual-reset event", "SEMAPHORE": "semaphore",
    "MUTEX": "mutex", "AUTO_TIMER": "timer", "MANUAL_TIMER": "manual-reset timer", "THREAD": "thread",
    "PROCESS": "process", "FILE": "file", "PORT": "completion port",
    "SHARED_AUTO_EVENT": "shared auto-reset event", "SHARED_MANUAL_EVENT": "shared manual-reset event",
    "SHARED_SEMAPHORE": "shared semaphore", "SHARED_MUTEX": "shared mutex",
}


class Owner:
    """The owner of the thing waited for: a context, or a thread by its id."""

    def __init__(self, model, tid=0, context=None):
        self.context = context or model.by_tid.get(tid)
        self.tid = self.context.tid if self.context else tid

    def __str__(self):
        if not self.context:
            return f"thread {self.tid}"
        return f"{'scheduler' if self.context.is_scheduler else 'worker'} {self.context.number}"


class Wait:
    """text: the thing waited for. owners: its owners, as far as known. what: the lock, for short.
    until: when the wait gives up, in nanoseconds of CLOCK_MONOTONIC, or None. alternatives: the wait may end though
    its owners keep what they have. list: (schedulers) the completion list that the scheduler sleeps on."""

    def __init__(self, text, owners=(), until=None, what="", descriptor=None, completion_list=None,
                 alternatives=False):
        self.text, self.owners, self.until, self.what = text, list(owners), until, what
        self.descriptor, self.list, self.alternatives = descriptor, completion_list, alternatives


def wait_of(context):
    """The Wait of a BLOCKED worker, or of a scheduler's own thread; None: it is unknown."""
    model = context.model
    if not context.is_scheduler:
        call = context.call
        if call.in_flight:
            return _call(model, context, call)
    return wait_of_thread(model, context.fields.plat_thread, context.thread) if context.thread else None


def wait_of_thread(model, address, thread):
    """The Wait of a thread object in the dispatcher."""
    try:
        found = model.wait_of_thread(address, thread)
        return wait_at(model, found) if found else None
    except Unreadable:
        return None # it was over just now


# ---- System calls ------------------------------------------------------------------------------------

def _argument(letter, value):
    """A letter of the column `told` in traps/calls.def."""
    if letter in "df":
        return str(value - (1 << 32) if value & 0x80000000 and value < 1 << 32 else
                   value - (1 << 64) if value >> 63 else value)
    return oct(value) if letter == "o" else str(value) if letter == "u" else hex(value) if value else "0"


def _call(model, context, call):
    args = list(struct.unpack("<6Q", call.args))
    name, words = model.call_row(call.entry)
    if name == "a function": # of libc's, which its home makes (unseen.c)
        return Wait(f"libc's function at {args[0]:#x}({args[1]:#x}, ...), made by its own thread")
    if name == "page_fault": # no call at all (fault_watch.c)
        if args[1] >> 63 == 0: # a steady call (calls.def)
            return Wait(f"system call {model.call_of_number(args[1])}, made at {args[0]:#x}")
        return Wait(f"a page fault, in the code at {args[0]:#x}")
    has_descriptor = words.startswith("f")
    if has_descriptor and model.is_watched(context.address + model.call_offset):
        args[0] = call.watch_given_fd # the poller's own duplicate stands there
    text = f"{name}({', '.join(_argument(*pair) for pair in zip(words, args))})"
    descriptor = args[0] if has_descriptor else None
    owners, what = [], ""
    if name == "futex":
        tid = _pthread_owner(model, args)
        if tid:
            owners, what = [Owner(model, tid)], f"pthread mutex {args[0]:#x}"
            text = f"{what}: {text}"
    until = None if call.deadline in (0, FOREVER) or call.realtime else call.deadline
    return Wait(text, owners, until, what, descriptor)


def _pthread_owner(model, args):
    """pthread_mutex_t begins with the futex word, a count, and the owner's thread id."""
    try:
        word, _, owner = struct.unpack("<III", model.memory.read(args[0], 12))
    except Unreadable:
        return 0
    command = args[1] & FUTEX_COMMAND
    if command in (FUTEX_LOCK_PI, FUTEX_LOCK_PI2):
        return word & FUTEX_TID
    if word & FUTEX_TID and word & FUTEX_TID == owner: # a robust one
        return owner
    if command in (FUTEX_WAIT, FUTEX_WAIT_BITSET) and word == 2 and args[2] & 0xFFFFFFFF == 2:
        return owner if model.has_thread(owner) else 0
    return 0


# ---- Objects, addresses, time ----------------------------------------------------------------------------

def describe_object(model, address):
    """(the object's text, its owners)."""
    found = model.object.at(address)
    kind = model.types.get(found.type, "")
    text = OBJECTS.get(kind, "object")
    handles = model.handles().get(address)
    text += f" {handles[0]:#x}" if handles else f" at {address:#x}"
    name = model.object_name(found.name)
    if name:
        text += f' "{name}"'
    owners = []
    signal = found.signal - (1 << 32) if found.signal >> 31 else found.signal
    if kind in ("MUTEX", "SHARED_MUTEX"):
        thread = model.mutex.at(address).owner
        if thread:
            context = model.by_thread.get(thread)
            tid = model.thread.at(thread).tid
            owners.append(Owner(model, tid, context))
    elif kind == "SEMAPHORE":
        text += f" (count {signal})"
    elif kind == "THREAD":
        thread = model.thread.at(address)
        owners.append(Owner(model, thread.tid, model.by_thread.get(address)))
        text = f"the end of {owners[0]}"
    return text, owners


def wait_at(model, address):
    wait = model.wait.at(address)
    until = wait.timer_deadline if wait.timed else None
    if wait.address:
        return _address(model, wait, until)
    if wait.packets:
        return Wait("a completion port's packets", until=until)
    if not wait.count:
        return Wait("Sleep", until=until)
    texts, owners, has_owner, completion_list = [], [], [], None
    for index in range(wait.count):
        block = model.wait_block.at(wait.blocks + index * model.wait_block_bytes)
        if block.object in model.list_of_event:
            completion_list = model.list_of_event[block.object]
            texts.append(f"completion list {completion_list.number}")
            has_owner.append(False)
            continue
        text, more = describe_object(model, block.object)
        texts.append(text)
        has_owner.append(bool(more))
        owners += more
    text = (" and " if wait.all else " or ").join(texts)
    if wait.alertable:
        text += ", or a procedure call"
    what = next((text for text, has in zip(texts, has_owner) if has), "")
    return Wait(text, owners, until, what, completion_list=completion_list,
                alternatives=wait.count > 1 and not wait.all)


def _address(model, wait, until):
    call = model.layout.waits.get(wait.why, "a wait")
    text, owners, what = f"{call}({wait.address:#x})", [], ""
    try:
        if call == "EnterCriticalSection": # LockCount, RecursionCount, OwningThread: Windows' structure
            owner, = struct.unpack("<Q", model.memory.read(wait.address + 16, 8))
            what = f"critical section {wait.address:#x}"
            if owner:
                owners.append(Owner(model, owner & 0xFFFFFFFF))
        elif call.startswith("AcquireSRWLock"): # its word: winapi/linux/srw_lock.c
            lock = wait.address & ~7 # readers wait one byte above
            word, = struct.unpack("<Q", model.memory.read(lock, 8))
            text, what = f"{call}({lock:#x})", f"SRW lock {lock:#x}"
            if word & 1 and word >> 4:
                owners.append(Owner(model, word >> 4))
            elif word >> 4:
                text += f", {word >> 4} readers have it"
    except Unreadable:
        pass
    return Wait(text, owners, until, what)
