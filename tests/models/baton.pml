/* SPDX-License-Identifier: MIT
 *
 * baton.pml - a call that blocks: its baton (platform/linux/switch/baton.h), deferred (calls/poller.c), posted
 * (switch/lane.c, traps/reactor.c), armed, cancelled (calls/cancel.c), for spin: baton.md.
 *
 * run     two -DWORKERS=2
 * run     three -DWORKERS=3
 * mutant  1 two: the scheduler does not look whether the call is over
 * mutant  2 two: who posts a baton queues a worker that has not left
 * mutant  3 two: the reactor is woken only where its inbox was not empty
 * mutant  4 two: a call that was asked in vain is forgotten
 * mutant  5 two: a call is armed without a look at its file
 * mutant  6 two: a cancelled call stays deferred
 * mutant  7 two: a cancellation is asked for once
 * mutant  8 two: the reactor reads its inbox, and then clears it
 */
byte mutant;

mtype = { NOWHERE, DEFERRED, TAKEN, INBOX, SERVED, ARMED, OVER, NONE, SHUT, WAITED, POSTED };
mtype where[3] = NOWHERE;
mtype baton[3] = NONE;
bool ready[3];           /* its file has what it waits for */
bool cancelled;          /* the first one's */
bool left[3], queued[3]; /* the worker's stack was left; it was given back to a scheduler */
bool wake_fd, asked;
byte gone_on;

/* Whoever has taken the call completes it; the baton may be gone as soon as it is open. */
inline complete(who) {
    assert(baton[who] == SHUT || baton[who] == WAITED);
    where[who] = OVER;
    if
    :: baton[who] == WAITED || mutant == 2 -> assert(left[who] && !queued[who]); queued[who] = 1
    :: else
    fi;
    baton[who] = POSTED
}

inline post(who) {
    where[who] = INBOX;
    if
    :: mutant != 3 || (where[0] == INBOX && who != 0) || (where[1] == INBOX && who != 1) -> wake_fd = 1
    :: else
    fi
}

/* A worker makes its call, leaves its scheduler, and goes on. */
proctype worker(byte me) {
    atomic { baton[me] = SHUT; where[me] = DEFERRED };
    if
    :: atomic { baton[me] == POSTED -> skip } /* baton_wait sees it */
    :: atomic { baton[me] == SHUT -> left[me] = 1 };
       atomic { /* baton_left, on the scheduler */
           if
           :: baton[me] == SHUT || mutant == 1 -> baton[me] = WAITED
           :: else -> left[me] = 0; goto on
           fi
       };
       atomic { queued[me] -> queued[me] = 0; left[me] = 0 }
    fi;
on:
    atomic { assert(baton[me] == POSTED && where[me] == OVER); baton[me] = NONE; gone_on++ }
}

/* Workers that write, each to one file, and ask the deferred calls after, one after the other. */
proctype writer(byte c) {
    byte i, mine; /* bits: the calls that it has taken */
    atomic { ready[c] = 1 };
    atomic {
        do
        :: i < 3 && where[i] == DEFERRED -> where[i] = TAKEN; mine = mine | (1 << i); i++
        :: i < 3 && where[i] != DEFERRED -> i++
        :: i == 3 -> break
        od;
        i = 0
    };
    do
    :: atomic { mine == 0 -> break }
    :: atomic {
           mine != 0 ->
           do
           :: mine & (1 << i) -> break
           :: else -> i++
           od;
           mine = mine & ~(1 << i);
           assert(where[i] == TAKEN);
           if
           :: ready[i] || (i == 0 && cancelled) -> complete(i)
           :: else ->
               if
               :: mutant != 4 -> where[i] = DEFERRED
               :: else -> where[i] = NOWHERE
               fi
           fi;
           i = 0
       }
    od
}

/* The tick, or a scheduler that is about to sleep. */
proctype arming() {
    do
    :: atomic { gone_on == WORKERS -> break }
    :: atomic { where[0] == DEFERRED -> post(0) }
    :: atomic { where[1] == DEFERRED -> post(1) }
    :: atomic { where[2] == DEFERRED -> post(2) }
    od
}

proctype reactor() {
    byte i;
    do
    :: atomic { gone_on == WORKERS -> break }
    :: atomic { wake_fd -> wake_fd = 0 };
       atomic { /* takes all */
           i = 0;
           do
           :: i < 3 && where[i] == INBOX -> where[i] = SERVED; i++
           :: i < 3 && where[i] != INBOX -> i++
           :: i == 3 -> break
           od;
           i = 0
       };
       if
       :: mutant == 8 -> atomic {
           if
           :: where[0] == INBOX -> where[0] = NOWHERE
           :: where[1] == INBOX -> where[1] = NOWHERE
           :: else
           fi }
       :: else
       fi;
       do
       :: atomic { where[0] != SERVED && where[1] != SERVED && where[2] != SERVED -> break }
       :: atomic {
              where[0] == SERVED || where[1] == SERVED || where[2] == SERVED ->
              i = (where[0] == SERVED -> 0 : (where[1] == SERVED -> 1 : 2));
              if
              :: ready[i] && mutant != 5 -> complete(i)
              :: ready[i] && mutant == 5 -> where[i] = NOWHERE
              :: else -> where[i] = ARMED
              fi;
              i = 0
          }
       od;
       atomic { /* serve_cancelled */
           if
           :: where[0] == ARMED && cancelled && asked -> complete(0)
           :: else
           fi;
           asked = 0
       }
    :: atomic { where[0] == ARMED && ready[0] -> complete(0) }
    :: atomic { where[1] == ARMED && ready[1] -> complete(1) }
    :: atomic { where[2] == ARMED && ready[2] -> complete(2) }
    od
}

/* call_cancel on the first, by the nudge: again and again until it is over. Its file never becomes ready. */
proctype canceller() {
    bool found;
    do
    :: atomic { where[0] == OVER -> break }
    :: atomic {
           where[0] == DEFERRED -> found = 1;
           if
           :: mutant != 6 -> where[0] = TAKEN
           :: else
           fi
       };
       atomic { complete(0); break }
    :: atomic { (where[0] == INBOX || where[0] == ARMED || where[0] == SERVED) && !asked && (!cancelled || mutant != 7) ->
           cancelled = 1; asked = 1; wake_fd = 1 }
    od
}

init {
    atomic {
        c_code { now.mutant = getenv("MUTANT") ? atoi(getenv("MUTANT")) : 0; };
        run worker(0); run worker(1);
        run writer(1);
#if WORKERS == 3
        run worker(2); run writer(2);
#endif
        run arming(); run reactor(); run canceller()
    };
    (_nr_pr == 1)
}
