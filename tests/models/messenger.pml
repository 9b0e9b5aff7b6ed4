/* SPDX-License-Identifier: MIT
 *
 * messenger.pml - a notification, its message, and what else may come to the carrier
 * (traps/messenger.c, libc/trap.c), for spin: messenger.md.
 *
 * run     alone
 * run     masked -DMASK=1
 * mutant  1 alone: a late message is taken for the call at which it finds the thread
 * mutant  2 alone: threads wait killably, so that no signal withdraws a notification
 * mutant  3 masked: the reactor does not look after messages that a mask stops
 * mutant  4 alone: the thread goes on in front of the call that was served
 * mutant  5 alone: the reactor does not send a second message while it looks after the first
 * mutant  6 alone: a carrier comes to trap without an end of its messages
 * mutant  7 alone: a carrier comes to trap before what was sent to it has come
 */
#define NEITHER 9

byte mutant;

/* The carrier: which worker it has, where that stands, and what it has in the kernel. */
#ifndef MASK
#define MASK 0
#endif
#define CALLS 3

mtype = { BEFORE, NOTIFIED, BEHIND, NONE, MESSAGE, TRAP };
mtype where = BEFORE;
byte place;
byte issued = 1, made;
bool traps;              /* the filter that traps is on top of the other */
bool sending, ends;      /* the reactor sends to it; nobody sends to it any more */
byte signals = 2;        /* others that still come */
byte mask = MASK;        /* masks with SIGSYS that a handler may still leave */
bool blocked;            /* SIGSYS, by a mask that a handler has left */
mtype pending = NONE;    /* SIGSYS: one, and the first to come stays */
byte told = NEITHER;     /* the place that the pending message tells */
bool other;              /* another signal */
bool waits;              /* a notification does, */
bool seen;               /* which the reactor has received; */
bool got_it, after_it;   /* and that is the one in its hands; the one whose message it looks after */
bool ended;

bool looks_after;

/* Withdrawn, or let go on. */
inline over() { waits = 0; got_it = 0; after_it = 0 }

inline next_place() { place = 1 - place; issued++; where = BEFORE }

/* The message, if none is there; in the kernel's order. */
inline send(what, p) {
    if
    :: pending == NONE -> pending = what; told = p
    :: else /* legacy_queue(): dropped */
    fi
}

/* trap_message and what follows; the thread stands BEFORE a call, or BEHIND the last one. */
inline take_sigsys() {
    if
    :: pending == TRAP -> assert(where == BEHIND && made + 1 == issued); made++
    :: pending != TRAP && where == BEFORE && (told == place || mutant == 1) ->
        assert(told == place && made < issued);
        made++;
        if
        :: mutant != 4 -> where = BEHIND
        :: else
        fi
    :: else /* late */
    fi;
    pending = NONE;
    told = NEITHER
}

proctype carrier() {
    do
    :: atomic { where == BEHIND && issued == CALLS -> assert(made == issued); break }
    :: atomic { where == BEHIND && issued < CALLS && (traps || !ends) -> assert(made == issued); next_place() }
    :: atomic { /* enters the kernel */
           where == BEFORE && traps ->
           where = BEHIND; /* syscall_rollback: the registers are those behind, with the number */
           send(TRAP, NEITHER);
           take_sigsys() /* when the kernel is left */
       }
    :: atomic { where == BEFORE && !traps -> where = NOTIFIED; waits = 1; seen = 0 }
    :: atomic { /* withdrawn: it does not wait killably */
           where == NOTIFIED && ((pending != NONE && !blocked) || other) && mutant != 2 ->
           where = BEFORE; over()
       }
    :: atomic { where == NOTIFIED && !waits -> assert(made < issued); made++; where = BEHIND } /* CONTINUE */
    :: atomic { where != NOTIFIED && pending != NONE && !blocked -> take_sigsys() }
    :: atomic { ends && !traps && where == BEHIND && pending == NONE -> traps = 1 }
    :: atomic { /* its handler; the worker may leave the carrier, and another one stands at the other place */
           where != NOTIFIED && other -> other = 0;
           if
           :: skip
           :: where == BEFORE -> place = 1 - place
           :: !blocked && mask -> blocked = 1; mask = 0
           :: MASK == 0 && where == BEHIND && made == issued && !ends && (!sending || mutant == 6) ->
               ends = 1; /* messages_end, and what is pending comes when the next call of its ends */
               if
               :: mutant == 6 -> ends = 0; traps = 1
               :: mutant == 7 -> traps = 1
               :: else
               fi
           fi
       }
    od;
    ended = 1
}

proctype signaller() {
    do
    :: atomic { signals > 0 && !other -> signals--; other = 1 }
    :: atomic { ended || signals == 0 -> break }
    od
}

proctype reactor() {
    byte at;
    bool got;
    do
    :: atomic {
           waits && !seen ->
           got = 1; got_it = 1; at = place; seen = 1
       };
       atomic {
           if
           :: !got_it || ends -> got = 0 /* notify_valid, messages_end */
           :: mutant == 5 && looks_after -> got = 0
           :: else -> sending = 1
           fi
       };
       atomic { /* it may have been withdrawn since */
           if
           :: got -> send(MESSAGE, at); looks_after = 1; after_it = got_it
           :: else
           fi
       };
       atomic { sending = 0; got = 0; got_it = 0; at = 0 }
    :: atomic { /* messages_look, ARRIVES_NS later: an open one has arrived, or its thread has left */
           looks_after && (blocked || !after_it) && mutant != 3 ->
           if
           :: after_it -> over()
           :: else
           fi;
           looks_after = 0
       }
    :: atomic { ended -> break }
    od
}

init {
    atomic {
        c_code { now.mutant = getenv("MUTANT") ? atoi(getenv("MUTANT")) : 0; };
        run carrier(); run signaller(); run reactor()
    }
}
