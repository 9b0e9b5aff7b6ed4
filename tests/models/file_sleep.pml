/* SPDX-License-Identifier: MIT
 *
 * file_sleep.pml - a scheduler that sleeps on the files of its deferred calls (platform/linux/calls/file_sleep.c, bell.c,
 * poller.c, cancel.c, set_sleep.c), for spin: file_sleep.md.
 *
 * run     let_go -DCALLS=2 -DOPENS=1
 * run     stays -DCALLS=3 -DOPENS=0
 * run     joins -DCALLS=3 -DOPENS=0 -DJOINS=1
 * by hand three -DCALLS=3 -DOPENS=1
 * by hand joins_three -DCALLS=3 -DOPENS=1 -DJOINS=1
 * mutant  1 stays: who takes a call away rings no bell
 * mutant  2 stays: who cancels a call rings no bell
 * mutant  3 stays: a call is asked while it is on the list
 * mutant  4 stays: a number is given away while its call is asked
 * mutant  5 stays: that the sleeper was told is not forgotten before the next sleep
 * mutant  6 stays: a call whose file is not ready is not put back
 * mutant  7 let_go: who lets the scheduler go rings no bell
 * mutant  8 stays: who cancels a call that is slept on completes it as well
 * mutant  9 joins: a scheduler that leaves its call to the sleeper rings no bell
 * mutant 10 joins: a scheduler leaves its call to one that does not sleep on files
 */
#ifndef JOINS
#define JOINS 0
#endif
byte mutant;

mtype = { DEFERRED, SLEPT, TAKEN, ASKED, ARMED, OVER, NONE }; /* NONE: the worker has not called yet */
mtype call[3] = DEFERRED;     /* whose it is: under the deferral's lock. TAKEN: in one thread's hands */
bool ready[3];                /* its file is */
bool cancelled[3];
bool polled[3];               /* the sleeper's poll has the file */
bool rang[3];                 /* and has told of it */
bool closed;                  /* the last call's number is another file's */
bool told, bell;              /* sleeper_told, of more or to leave; the event counter */
bool arming, serving;         /* locks */
mtype = { GO_NOT, GO, GO_AWAKE, GO_BY };
mtype go = GO_NOT;
bool over[3];
bool gone;                    /* the sleeper has been let go */
byte completed;

#define LAST (CALLS - 1)

/* It comes at any time, or only when no scheduler sleeps any more, or when the other scheduler's call is over. */
inline at_some_time() {
    if
    :: true
    :: OPENS -> (gone)
    :: JOINS -> (over[1])
    fi
}

#define takeable(i) (call[i] == DEFERRED || call[i] == SLEPT)

inline complete(i) {
    assert((call[i] == TAKEN || call[i] == ASKED || call[i] == ARMED) && !over[i]);
    call[i] = OVER; over[i] = 1; completed++
}

/* poller_arm looks at the file; with the lock of those who arm. */
inline arm(i) {
    if
    :: ready[i] -> complete(i)
    :: else -> call[i] = ARMED
    fi
}

/* bell_ring, under the deferral's lock */
inline ring() {
    if
    :: !told -> told = 1; bell = 1
    :: else
    fi
}

/* A scheduler that sleeps in the set knows nothing of what another one defers. */
#if JOINS
#define own_deferred (call[0] == DEFERRED || call[2] == DEFERRED)
#else
#define own_deferred any_deferred
#endif
#define any_deferred (call[0] == DEFERRED || call[1] == DEFERRED || (CALLS > 2 && call[2] == DEFERRED))
#define any_ready ((polled[0] && ready[0]) || (polled[1] && ready[1]) || (polled[2] && ready[2]))

proctype sleeper() {
    byte i;
    do
    :: atomic { go == GO -> gone = 1; break }
    :: atomic { go != GO && !any_deferred -> skip }; /* it sleeps in the set, or in a futex */
end_asleep:
       atomic { go == GO || own_deferred }
    :: atomic { go != GO && any_deferred && !arming -> /* file_sleep_begin */
           for (i : 0 .. CALLS - 1) {
               if
               :: call[i] == DEFERRED -> call[i] = SLEPT; polled[i] = 1
               :: else
               fi
           }
           i = 0;
           told = told && mutant == 5
       };
       if
       :: atomic { go == GO -> skip }
       :: atomic { go == GO_NOT -> go = GO_BY };
          atomic { any_ready || bell }
       fi;
       atomic { /* poll comes back, and lets go of the files */
           for (i : 0 .. CALLS - 1) { rang[i] = polled[i] && ready[i]; polled[i] = 0 }
           i = 0
       };
       atomic {
           if
           :: go == GO_BY -> go = GO_AWAKE
           :: else
           fi
       };
       atomic { !serving -> serving = 1 };
       atomic { bell = 0 };
       atomic { !arming -> arming = 1; /* take_back */
           told = 1;
           for (i : 0 .. CALLS - 1) {
               if
               :: call[i] == SLEPT && !rang[i] -> call[i] = TAKEN
               :: else
               fi
           }
           i = 0
       };
       do
       :: atomic { i < CALLS && call[i] == TAKEN && !rang[i] && cancelled[i] -> complete(i); i++ }
       :: atomic {
              i < CALLS && call[i] == TAKEN && !rang[i] && !cancelled[i] ->
              if
              :: mutant != 6 -> call[i] = DEFERRED
              :: else
              fi;
              i++
          }
       :: atomic { i < CALLS && !(call[i] == TAKEN && !rang[i]) -> i++ }
       :: atomic { i == CALLS -> i = 0; arming = 0; break }
       od;
       do /* take_ready and ask_one */
       :: atomic { i < CALLS && call[i] == SLEPT ->
              if
              :: mutant != 3 -> call[i] = ASKED
              :: else
              fi
          };
          if
          :: atomic { cancelled[i] -> call[i] = (mutant == 3 -> ASKED : call[i]); complete(i) }
          :: atomic { !cancelled[i] -> assert(!(closed && i == CALLS - 1)) }; /* the attempt */
             atomic { !arming -> call[i] = (mutant == 3 -> ASKED : call[i]); arm(i) }
          fi;
          i++
       :: atomic { i < CALLS && call[i] != SLEPT -> i++ }
       :: atomic { i == CALLS -> i = 0; serving = 0; rang[0] = 0; rang[1] = 0; rang[2] = 0; break }
       od;
       atomic {
           if
           :: go == GO_AWAKE -> go = GO_NOT
           :: else
           fi
       }
    od
}

/* Takes what is old enough, which may be anything, or nothing. Once the sleeper is gone it comes as often as it must. */
proctype tick() {
    byte i = 9, times;
    do
    :: atomic { times == 2 || completed == CALLS -> break }
    :: atomic { times < 2 -> times = 2 }
    :: atomic {
           times < 2 && !arming && (takeable(0) || takeable(1) || (CALLS > 2 && takeable(2))) ->
           if
           :: takeable(0) -> i = 0
           :: takeable(1) -> i = 1
           :: CALLS > 2 && takeable(2) -> i = 2
           fi;
           arming = 1;
           if
           :: call[i] == SLEPT && mutant != 1 -> ring()
           :: else
           fi;
           call[i] = TAKEN;
           times++
       };
       atomic { arm(i); arming = 0; i = 9 }
    od;
end_idle:
    (gone);
    do
    :: atomic { completed == CALLS -> break }
    :: atomic { !arming && takeable(0) -> call[0] = TAKEN; arm(0) }
    :: atomic { !arming && takeable(1) -> call[1] = TAKEN; arm(1) }
    :: atomic { CALLS > 2 && !arming && takeable(2) -> call[2] = TAKEN; arm(2) }
    od
}

/* What is armed is the kernel's, and told to the poller. */
proctype poller() {
    do
    :: atomic { completed == CALLS -> break }
    :: atomic { call[0] == ARMED && cancelled[0] && !serving -> complete(0) }
    :: atomic { call[1] == ARMED && ready[1] && !serving -> complete(1) }
    :: atomic { CALLS > 2 && call[2] == ARMED && ready[2] && !serving -> complete(2) }
    od
}

/* The files of all but the first become ready. */
proctype writer() {
#if JOINS
    atomic { ready[1] = 1 };
    at_some_time();
#else
    at_some_time();
    atomic { ready[1] = 1 };
#endif
    atomic { ready[2] = 1 }
}

/* call_cancel on the first, by the nudge: again until it is over. */
proctype canceller() {
    at_some_time();
    do
    :: atomic { call[0] == OVER -> break }
    :: atomic { call[0] == DEFERRED -> call[0] = TAKEN; complete(0); break }
    :: atomic {
           call[0] == SLEPT && !cancelled[0] -> cancelled[0] = 1;
           if
           :: mutant != 2 -> ring()
           :: else
           fi;
           if
           :: mutant == 8 -> completed++; over[0] = 1
           :: else
           fi
       }
    :: atomic { (call[0] == TAKEN || call[0] == ASKED || call[0] == ARMED) && !cancelled[0] -> cancelled[0] = 1 }
    od
}

/* poller_hold for the last one's number, which then is another file's. */
proctype closer() {
    bool asked;
    at_some_time();
    do
    :: atomic {
           !arming -> arming = 1;
           asked = (call[LAST] == ASKED) && mutant != 4;
           if
           :: call[LAST] == SLEPT && mutant != 1 -> ring(); call[LAST] = TAKEN
           :: call[LAST] == DEFERRED || (call[LAST] == SLEPT && mutant == 1) -> call[LAST] = TAKEN
           :: else
           fi
       };
       atomic {
           if
           :: call[LAST] == TAKEN -> arm(LAST)
           :: else
           fi;
           arming = 0
       };
       if
       :: atomic { asked -> asked = 0 }; (!serving)
       :: atomic { !asked -> closed = 1; break }
       fi
    od;
    (!polled[LAST]) /* the file itself is closed, and its other end sees that */
}

/* Another scheduler of the lane, whose worker makes the second call, has nothing to do either: file_sleep_join. */
#define sleeps_on_files (call[0] == SLEPT || call[0] == ASKED || call[1] == SLEPT || call[1] == ASKED || \
                         call[2] == SLEPT || call[2] == ASKED)
proctype second() {
    atomic { call[1] = DEFERRED };
    if
    :: atomic { sleeps_on_files || mutant == 10 ->
           if
           :: call[1] == DEFERRED && mutant != 9 && mutant != 10 -> ring()
           :: else
           fi
       }
    :: atomic { !sleeps_on_files && mutant != 10 && !arming -> /* poller_arm_all */
           if
           :: call[1] == DEFERRED -> call[1] = TAKEN; arming = 1
           :: else
           fi
       };
       atomic {
           if
           :: call[1] == TAKEN && arming -> arm(1); arming = 0
           :: else
           fi
       }
    fi
}

/* The scheduler's wait is decided. */
proctype opener() {
    mtype was;
    atomic { was = go; go = GO };
    if
    :: was == GO_BY && mutant != 7 -> atomic { bell = 1 }
    :: else
    fi
}

init {
    atomic {
        c_code { now.mutant = getenv("MUTANT") ? atoi(getenv("MUTANT")) : 0; };
        run sleeper(); run tick(); run poller(); run writer(); run canceller(); run closer();
#if OPENS
        run opener();
#endif
#if JOINS
        call[1] = NONE;
        run second()
#endif
    };
#if OPENS
    (_nr_pr == 1)
#else
    (completed == CALLS && closed && !polled[LAST])
#endif
}
