/* SPDX-License-Identifier: MIT
 *
 * release.pml - a lock that a worker takes and its scheduler gives back once the worker has left its stack
 * (platform/linux/dispatch/wait.c: unlock_left; os/lock.c; plat_unlock_lasting), for spin: release.md.
 *
 * run     handed -DCANCELS=1
 * run     fenced -DFENCED=1
 * by hand three -DWORKERS=3
 * mutant  1 handed: who is about to sleep does not ask for membarrier
 * mutant  2 handed: the worker gives the lock back before it has left its stack
 * mutant  3 handed: a release does not look for sleepers
 * mutant  4 handed: a wait is cancelled without its lock
 * mutant  5 handed: the scheduler reads the worker's stack after the release
 * mutant  6 handed: who sleeps is not counted
 * mutant  1 fenced: a release has no fence
 */
#ifndef CANCELS
#define CANCELS 0
#endif
#ifndef FENCED
#define FENCED 0
#endif
#ifndef WORKERS
#define WORKERS 2
#endif
#define SCHEDULERS 2
#define OBJECTS 2
#define THREADS 5 /* two schedulers, two that signal, one that cancels */
#define NOTHING 9

byte mutant;

mtype = { READY, RUNS, BLOCKED, OVER };
mtype state[3] = OVER;
byte waits_at[3] = NOTHING; /* on the list of that object; under its lock */
bool left[3];               /* the stack may be run by another scheduler */
bool decided[3];

/* Words: the half of each lock that says that it is held. A release is a store of 0. */
#define WORDS OBJECTS
#define PROCESSORS THREADS
#define BUFFERED 1
#include "store_buffer.inc"
#define held memory
byte sleepers[OBJECTS];               /* the other half */
byte asleep[OBJECTS], woken[OBJECTS]; /* in the futex */
byte signals[OBJECTS];
byte taken, ended, over;

/* plat_lock */
inline lock(o, t) {
    got = 0;
    atomic {
        drained(t) ->
        if
        :: !held[o] -> held[o] = 1; got = 1
        :: else
        fi
    };
    if
    :: got
    :: else ->
        atomic {
            if
            :: mutant == 6
            :: else -> sleepers[o]++
            fi
        };
        if
        :: FENCED || mutant == 1
        :: else -> (drained(0)); (drained(1)); (drained(2)); (drained(3)); (drained(4)) /* membarrier */
        fi;
        do
        :: atomic {
               !held[o] -> held[o] = 1;
               if
               :: mutant == 6
               :: else -> sleepers[o]--
               fi;
               break
           }
        :: atomic { held[o] -> asleep[o]++ }; atomic { woken[o] -> woken[o]-- }
        od
    fi
}

/* plat_unlock_lasting: a plain store, and a load that may come first. */
inline unlock(o, t) {
    store(t, o, 0);
    if
    :: FENCED && mutant != 1 -> (drained(t))
    :: else
    fi;
    if
    :: atomic { sleepers[o] && mutant != 3 -> skip };
       atomic {
           drained(t) -> /* in the kernel */
           if
           :: asleep[o] -> asleep[o]--; woken[o]++
           :: else
           fi
       }
    :: atomic { sleepers[o] == 0 || mutant == 3 -> skip }
    fi
}

inline queue(w) {
    atomic { assert(left[w] && state[w] == BLOCKED); left[w] = 0; state[w] = READY }
}

inline take(w, o) { assert(!decided[w] && waits_at[w] == o); decided[w] = 1; waits_at[w] = NOTHING }

/* A scheduler, and on it a worker up to the place where it leaves. */
proctype scheduler(byte me) {
    byte w, o;
    bool got;
    do
    :: atomic { over == WORKERS -> break }
    :: atomic {
           if
           :: state[0] == READY -> w = 0
           :: state[1] == READY -> w = 1
           :: state[2] == READY -> w = 2
           fi;
           state[w] = RUNS;
           o = w / 2
       };
       if
       :: atomic { decided[w] -> state[w] = OVER; over++ }
       :: atomic { !decided[w] -> skip };
           lock(o, me);
           if
           :: atomic { signals[o] -> signals[o]--; taken++; decided[w] = 1 };
              unlock(o, me);
              atomic { state[w] = OVER; over++ }
           :: atomic { signals[o] == 0 -> waits_at[w] = o };
              if
              :: mutant == 2 -> unlock(o, me)
              :: else
              fi;
              atomic { left[w] = 1; state[w] = BLOCKED };
              if
              :: mutant == 2
              :: else -> unlock(o, me)
              fi;
              assert(mutant != 5 || state[w] == BLOCKED)
           fi
       fi;
       atomic { w = 0; o = 0; got = 0 }
    od;
    ended++
}

/* Gives its signal to one that waits, and lets that one go with no lock held. */
proctype signaller(byte o; byte me; byte times) {
    byte w;
    bool got;
    do
    :: times == 0 -> break
    :: else ->
        times--;
        lock(o, me);
        atomic {
            w = NOTHING;
            signals[o]++;
            if
            :: waits_at[0] == o -> w = 0
            :: waits_at[1] == o -> w = 1
            :: waits_at[2] == o -> w = 2
            :: else
            fi;
            if
            :: w != NOTHING -> signals[o]--; taken++; take(w, o)
            :: else
            fi
        };
        unlock(o, me);
        if
        :: w != NOTHING -> queue(w)
        :: else
        fi;
        w = 0
    od;
    ended++
}

/* TerminateThread on the first: where it waits may be another place by the time the lock is there. */
proctype canceller(byte me) {
    bool got, mine;
    do
    :: atomic { decided[0] -> break }
    :: atomic {
           waits_at[0] == 0 && !decided[0] ->
           if
           :: mutant == 4 -> mine = 1
           :: else
           fi
       };
       if
       :: mine -> atomic { decided[0] = 1; waits_at[0] = NOTHING }; queue(0); break
       :: else ->
           lock(0, me);
           atomic {
               if
               :: waits_at[0] == 0 -> take(0, 0); mine = 1
               :: else
               fi
           };
           unlock(0, me);
           if
           :: mine -> queue(0); break
           :: else
           fi
       fi
    od;
    ended++
}

init {
    atomic {
        c_code { now.mutant = getenv("MUTANT") ? atoi(getenv("MUTANT")) : 0; };
        run processors();
        state[0] = READY; state[1] = READY;
        run scheduler(0); run scheduler(1); run signaller(0, 2, 2);
#if WORKERS == 3
        state[2] = READY; run signaller(1, 3, 1);
#endif
#if CANCELS
        run canceller(4)
#endif
    };
    (ended == WORKERS + 1 + CANCELS);
    assert(signals[0] + signals[1] + taken == WORKERS && sleepers[0] + sleepers[1] == 0)
}
