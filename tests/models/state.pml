/* SPDX-License-Identifier: MIT
 *
 * state.pml - the state word and the stop word of workers (umsshim/state.h, stop.c, scheduler.c, worker.c, exit.c), for
 * spin: state.md.
 *
 * run     suspends -DWORKERS=1 -DSUSPENDS=1
 * run     ends -DWORKERS=1 -DENDS=1
 * run     both -DWORKERS=1 -DSUSPENDS=1 -DENDS=1
 * run     two_suspend -DWORKERS=2 -DSUSPENDS=1
 * run     two_end -DWORKERS=2 -DENDS=1
 * run     deletes -DWORKERS=1 -DENDS=1 -DDELETES=1
 * run     two_delete -DWORKERS=2 -DDELETES=1
 * by hand three_suspend -DWORKERS=3 -DSUSPENDS=1
 * by hand three_end -DWORKERS=3 -DENDS=1
 * by hand all -DWORKERS=3 -DSUSPENDS=1 -DENDS=1
 * mutant  1 suspends: an execution does not look at the stop word behind its claim
 * mutant  2 suspends: the claim is no compare-exchange
 * mutant  3 suspends: a worker that stops does not look whether it was resumed meanwhile
 * mutant  4 suspends: a resumption queues without a compare-exchange
 * mutant  5 suspends: a worker that is taken back does not look at its stop word
 * mutant  6 suspends: who posts a baton queues a worker that has not left
 * mutant  7 ends: a queued worker that is ended stays on its list
 * mutant  8 ends: a parked worker is ended without a compare-exchange
 * mutant  9 suspends: the nudge is not repeated
 * mutant  10 suspends: a worker that is taken back has no fence before the look at its stop word
 * mutant  11 suspends: a worker that stops says so by a plain store
 * mutant  12 deletes: a dequeue tells of an end without a compare-exchange
 * mutant  13 deletes: a deletion is no compare-exchange
 */
#ifndef SUSPENDS
#define SUSPENDS 0
#endif
#ifndef ENDS
#define ENDS 0
#endif
#ifndef DELETES
#define DELETES 0
#endif

byte mutant;

mtype = { STARTING, QUEUED, READY, RUNNING, BLOCKED, STOPPED, EXITING, TERM_QUEUED, TERMINATED, ZOMBIE, FREE,
          SHUT, WAITED, POSTED, NONE };

/* Words: the states. Of a scheduler's plain stores only those after which it reads a stop word are kept back here; the
 * others are seen at once. */
#define WORDS 3
#define PROCESSORS 2
#define BUFFERED 1
#include "store_buffer.inc"
#define state memory

bool suspended[3], ending[3];  /* the stop word */
bool nudged[3];                /* the stop signal is on its way to it */
mtype baton[3] = NONE;         /* of a wait that is under way */
byte list[3];                  /* on which it lies: number + 1; 0: none */
byte at[3];                    /* where it arrives: its last scheduler's */
byte runner[3];                /* who carries it: number + 1 */
bool parted[3];                /* it is not to arrive any more */
bool home[3];                  /* its thread goes on */
byte finished;
byte chain[3];                 /* who has dequeued it: number + 1 */
byte waits[3];
bool freed;                    /* the first one's context */

#define held(w) (suspended[w] || ending[w])

inline set(w, from, to) { assert(state[w] == from); state[w] = to }
/* What nobody reads any more is the same in each state behind. */
inline is_over(w) { finished++; at[w] = 0; waits[w] = 0; parted[w] = 0 }
inline push(w) { assert(!list[w] && runner[w] == 0); list[w] = at[w] + 1 }
inline carry(w, s) { assert(runner[w] == 0); runner[w] = s + 1; at[w] = 0 /* is set when it leaves */ }
inline leave(w, s) { assert(runner[w] == s + 1); runner[w] = 0; nudged[w] = 0; at[w] = s }

/* One in the hands of its scheduler does something. */
inline run_worker(s, w) {
    do
    :: atomic { drained(s) -> leave(w, s); set(w, RUNNING, READY); break } /* yields */
    :: atomic { drained(s) && (waits[w] == 1 || ending[w]) -> leave(w, s); set(w, RUNNING, EXITING); home[w] = 1; break }
    :: atomic { drained(s) && nudged[w] && suspended[w] && !ending[w] -> nudged[w] = 0 }; /* it meets the stop signal */
       atomic {
           leave(w, s);
           if
           :: mutant == 11 -> assert(state[w] == RUNNING); store(s, w, STOPPED)
           :: else -> set(w, RUNNING, STOPPED)
           fi;
           goto stopped
       }
    :: atomic { drained(s) && waits[w] < 1 -> waits[w]++; baton[w] = SHUT };
       atomic { leave(w, s); set(w, RUNNING, BLOCKED) };
       atomic { /* baton_left */
           if
           :: baton[w] == SHUT -> baton[w] = WAITED; break
           :: baton[w] == POSTED && mutant == 6 -> break
           :: else -> baton[w] = NONE; assert(state[w] == BLOCKED); store(s, w, RUNNING)
           fi
       };
       if
       :: mutant != 10 -> (drained(s))
       :: else
       fi;
       atomic { /* take_back */
           if
           :: held(w) && mutant != 5 -> drained(s); set(w, RUNNING, STOPPED); goto stopped
           :: else -> carry(w, s)
           fi
       }
    od;
    goto next;
stopped:
    atomic {
        if
        :: held(w) || mutant == 3 -> goto next
        :: else ->
            drained(s);
            if
            :: state[w] == STOPPED -> state[w] = QUEUED
            :: else -> goto next
            fi
        fi
    };
    atomic { push(w) };
next:
    skip
}

/* A dequeue, or an execution of one that it has, or has not, dequeued. */
#define some_way(s, w) (list[w] == s + 1 || (!held(w) && (state[w] == READY || (state[w] == QUEUED && list[w]))))

inline run_once(s, w) {
    if
    :: atomic { state[w] == QUEUED && list[w] && !held(w) -> list[w] = 0 }; /* ums__list_take */
       atomic { set(w, QUEUED, READY) }
    :: atomic { state[w] == READY && !held(w) -> skip };
       atomic {
           if
           :: state[w] == READY || mutant == 2 -> state[w] = RUNNING
           :: else -> goto no
           fi
       };
       atomic {
           if
           :: held(w) && mutant != 1 -> set(w, RUNNING, READY); goto no
           :: else -> carry(w, s)
           fi
       };
       run_worker(s, w)
    :: atomic { /* a dequeue takes all that there is */
           list[w] == s + 1 ->
           w = 0;
           do
           :: w < WORKERS && list[w] == s + 1 -> list[w] = 0; chain[w] = s + 1; w++
           :: w < WORKERS && list[w] != s + 1 -> w++
           :: w == WORKERS -> break
           od;
           w = 0
       };
       do
       :: atomic { w == WORKERS -> break }
       :: atomic { w < WORKERS && chain[w] != s + 1 -> w++ }
       :: atomic { w < WORKERS && chain[w] == s + 1 && state[w] == QUEUED -> chain[w] = 0; state[w] = READY; w++ }
       :: atomic { w < WORKERS && chain[w] == s + 1 && state[w] != QUEUED -> chain[w] = 0; was = state[w] };
          atomic {
              if
              :: state[w] == TERM_QUEUED || (mutant == 12 && was == TERM_QUEUED) -> state[w] = TERMINATED
              :: else -> set(w, ZOMBIE, FREE); assert(!freed); freed = 1
              fi;
              is_over(w);
              was = 0; w++
          }
       od
    :: else /* another was faster */
    fi;
no:
    skip
}

proctype scheduler(byte me) {
    byte which, was;
    do
    :: atomic { finished == WORKERS -> break }
    :: atomic {
           if
           :: some_way(me, 0) -> which = 0
           :: WORKERS > 1 && some_way(me, 1) -> which = 1
           :: WORKERS > 2 && some_way(me, 2) -> which = 2
           fi
       };
       run_once(me, which)
    od
}

/* Creations, completions of waits, and homes. */
proctype creator(byte w) {
    atomic {
        if
        :: !held(w) && state[w] == STARTING -> state[w] = QUEUED
        :: else -> goto no
        fi
    };
    atomic { push(w) };
no:
    skip
}

inline complete() {
    if
    :: was_left ->
        atomic { is_ending = ending[w] };
        if
        :: is_ending -> atomic { baton[w] = NONE; set(w, BLOCKED, EXITING); home[w] = 1 }
        :: else -> atomic { baton[w] = NONE; set(w, BLOCKED, QUEUED) }; atomic { push(w) }
        fi
    :: else
    fi;
    atomic { w = 0; was_left = 0; is_ending = 0 }
}

proctype completer() {
    byte w;
    bool was_left, is_ending;
    do
    :: atomic { finished == WORKERS -> break }
    :: atomic {
           if
           :: baton[0] == SHUT || baton[0] == WAITED -> w = 0
           :: baton[1] == SHUT || baton[1] == WAITED -> w = 1
           :: baton[2] == SHUT || baton[2] == WAITED -> w = 2
           fi;
           was_left = (baton[w] == WAITED || mutant == 6);
           baton[w] = POSTED
       };
       complete()
    od
}

proctype homes() {
    byte w;
    do
    :: atomic { finished == WORKERS -> break }
    :: atomic {
           if
           :: home[0] -> w = 0
           :: home[1] -> w = 1
           :: home[2] -> w = 2
           fi;
           home[w] = 0;
           if
           :: parted[w] -> set(w, EXITING, TERMINATED); is_over(w); w = 0; goto again
           :: else -> set(w, EXITING, TERM_QUEUED)
           fi
       };
       atomic { push(w); w = 0 };
again:
       skip
    od
}

/* SuspendThread and ResumeThread on the first worker. */
proctype suspender() {
    mtype was;
    bool was_ending;
    atomic { suspended[0] = 1 };
    do
    :: atomic { /* ums__worker_nudge, a millisecond later again */
           state[0] == RUNNING && !nudged[0] -> nudged[0] = 1;
           if
           :: mutant == 9 -> goto settled
           :: else
           fi
       }
    :: atomic { state[0] != RUNNING -> nudged[0] = 0; goto settled }
    :: atomic { goto resume }
    od;
settled:
    atomic { assert(runner[0] == 0 || nudged[0]) }; /* it is not carried any more, now or later */
resume:
    atomic { was_ending = ending[0]; suspended[0] = 0 };
    atomic { was = state[0] };
    atomic {
        if
        :: !was_ending && (was == STOPPED || was == STARTING) && (state[0] == was || mutant == 4) ->
            state[0] = QUEUED
        :: else -> goto off
        fi
    };
    atomic { push(0) };
off:
    skip
}

#define is_ending_or_gone (state[0] == EXITING || state[0] == TERM_QUEUED || state[0] == TERMINATED || \
                           state[0] == ZOMBIE || state[0] == FREE)

/* TerminateThread on the first worker, and the nudge, which comes again. */
proctype terminator() {
    mtype was;
    bool queue;
    atomic { ending[0] = 1 };
    do
    :: atomic { /* one that runs meets the signal, one that is blocked is completed: again later */
           was = state[0];
           if
           :: was == STARTING || was == QUEUED || was == READY || was == STOPPED -> queue = (was != READY)
           :: else -> is_ending_or_gone || state[0] == STARTING ||
              state[0] == QUEUED || state[0] == READY || state[0] == STOPPED; goto again
           fi
       };
       atomic {
           if
           :: was == QUEUED && list[0] ->
               if
               :: mutant != 7 -> list[0] = 0
               :: else
               fi
           :: was == QUEUED && !list[0] -> was = NONE; goto again
           :: else
           fi
       };
       atomic {
           if
           :: was == QUEUED -> set(0, QUEUED, READY); was = READY
           :: else
           fi
       };
       atomic {
           if
           :: state[0] == was || mutant == 8 -> state[0] = EXITING; parted[0] = !queue; home[0] = 1; break
           :: else
           fi
       };
again:
       atomic {
           if
           :: is_ending_or_gone -> break
           :: else
           fi
       }
    od
}

/* DeleteUmsThreadContext on the first worker, as soon as it has ended. */
proctype deleter() {
    if
    :: atomic { state[0] == TERMINATED -> assert(!freed); state[0] = FREE; freed = 1 }
    :: atomic { state[0] == TERM_QUEUED && mutant != 13 -> state[0] = ZOMBIE }
    :: atomic { state[0] == TERM_QUEUED && mutant == 13 -> skip }; atomic { state[0] = ZOMBIE }
    fi
}

init {
    atomic {
        c_code { now.mutant = getenv("MUTANT") ? atoi(getenv("MUTANT")) : 0; };
        state[0] = STARTING; state[1] = TERMINATED; state[2] = TERMINATED;
        run processors(); run scheduler(0); run scheduler(1); run completer(); run homes(); run creator(0);
#if WORKERS > 1
        state[1] = STARTING; at[1] = 1; run creator(1);
#endif
#if WORKERS > 2
        state[2] = STARTING; run creator(2);
#endif
#if SUSPENDS
        run suspender();
#endif
#if ENDS
        run terminator();
#endif
#if DELETES
        run deleter()
#endif
    };
    (_nr_pr == 2);
    assert(finished == WORKERS && freed == DELETES)
}
