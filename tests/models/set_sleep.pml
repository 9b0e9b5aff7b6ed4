/* SPDX-License-Identifier: MIT
 *
 * set_sleep.pml - schedulers that sleep in their lane's epoll set, and the poller (platform/linux/calls/set_sleep.c,
 * watched.c; dispatch/waiters.c), for spin: set_sleep.md.
 *
 * run     two -DSCHEDULERS=2 -DWAITS=1
 * run     signals -DSCHEDULERS=1 -DWAITS=2 -DSIGNALS=1
 * mutant  1 two: a scheduler that sleeps in the set does not say so
 * mutant  2 two: the poller keeps a kick that it fetches
 * mutant  3 two: a scheduler that serves in passing keeps a kick that it fetches
 * mutant  4 two: who lets go does not kick
 * mutant  5 two: the scheduler says GO_BY before slept_in is set
 * mutant  6 two: an event is served without a look whose turn it is
 * mutant  7 two: who leaves the set says GO_NOT, whatever the word was
 */
#ifndef SIGNALS
#define SIGNALS 0
#endif
#define POLLER 2
byte mutant;

mtype = { GO_NOT, GO, GO_AWAKE, GO_BY };
mtype word[2] = GO_NOT;
bool waits[2], decided[2]; /* its wait is there, and undecided; somebody has decided it */
bool woken[2];             /* its futex was woken */
bool slept_in, kick_ready; /* the set has the kick, not fetched yet */
bool event_ready;          /* and the event of the call */
bool sleeps[3], roused[3]; /* in the set: it is on the kernel's list; it was taken off that list */
byte turn = 1, told, armed; /* the call: whose turn it is, 0 nobody's; the turn that the event names */
bool serving;
byte done;                 /* times that a scheduler's waits were all over */
byte served[3];            /* by turn */
byte let_go;

/* The kernel's: wakes one that sleeps in the set, whichever. */
inline rouse() {
    if
    :: sleeps[0] -> sleeps[0] = 0; roused[0] = 1
    :: sleeps[1] -> sleeps[1] = 0; roused[1] = 1
    :: sleeps[POLLER] -> sleeps[POLLER] = 0; roused[POLLER] = 1
    :: !sleeps[0] && !sleeps[1] && !sleeps[POLLER]
    fi
}

inline kick() {
    atomic { kick_ready = 1; rouse() }
}

/* Takes what the set has, if it has anything. */
inline fetch() {
    has_kick = kick_ready; kick_ready = 0;
    has_event = event_ready; event_ready = 0;
    names = (has_event -> told : 0)
}

/* Under `serving`: the call is over, and is another wait's at once. */
inline serve() {
    if
    :: has_event -> atomic { !serving -> serving = 1 };
       atomic {
           if
           :: names == turn || (mutant == 6 && turn != 0) ->
               assert(names == turn); /* else it is another's */
               served[turn]++; assert(served[turn] == 1);
               turn = 0
           :: else
           fi;
           has_event = 0; serving = 0
       }
    :: else
    fi
}

/* Waits until it is let go. */
proctype scheduler(byte me) {
    byte n, names;
    bool has_kick, has_event, in_set;
    do
    :: atomic { n == WAITS -> done++; break }
    :: atomic { n < WAITS -> word[me] = GO_NOT; decided[me] = 0; woken[me] = 0; waits[me] = 1; in_set = 1 };
       /* before_sleep: serves in passing */
       if
       :: atomic { kick_ready || event_ready -> fetch() };
          serve();
          if
          :: has_kick && mutant != 3 ->
              if
              :: atomic { slept_in -> kick_ready = 1; rouse() }
              :: atomic { !slept_in }
              fi
          :: else
          fi;
          has_kick = 0
       :: true
       fi;
       do
       :: atomic { word[me] == GO -> break }
       :: atomic { word[me] != GO && in_set && slept_in -> in_set = 0 }
       :: atomic { word[me] != GO && !in_set -> assert(word[me] == GO_NOT) };
          atomic { woken[me] || word[me] != GO_NOT } /* futex_wait */
       :: atomic { word[me] != GO && in_set && !slept_in && mutant != 5 -> slept_in = 1 };
          if
          :: atomic { word[me] == GO -> skip }
          :: atomic {
                 word[me] == GO_NOT ->
                 if
                 :: mutant != 1 -> word[me] = GO_BY
                 :: else
                 fi
             };
again:       if
             :: atomic { kick_ready || event_ready -> fetch(); roused[me] = 0 }
             :: atomic { !kick_ready && !event_ready -> sleeps[me] = 1 };
                if
                :: atomic { roused[me] -> roused[me] = 0; goto again }
#if SIGNALS
                :: atomic { !roused[me] -> sleeps[me] = 0; has_kick = 0; has_event = 0 } /* EINTR */
#endif
                fi
             fi;
             atomic {
                 if
                 :: mutant == 7 -> word[me] = GO_AWAKE
                 :: word[me] == GO_BY && mutant != 7 -> word[me] = GO_AWAKE
                 :: else
                 fi
             };
             has_kick = 0;
             serve();
             atomic {
                 if
                 :: word[me] == GO_AWAKE -> word[me] = GO_NOT
                 :: else
                 fi
             }
          fi;
          slept_in = 0
       :: atomic { mutant == 5 && word[me] == GO_NOT && in_set && !slept_in -> word[me] = GO_BY };
          atomic { slept_in = 1 };
          goto again
       od;
       atomic { assert(decided[me]); waits[me] = 0; n++ }
    od
}

/* Threads that let a scheduler go: each wait is decided once. */
proctype opener(byte whom) {
    byte n;
    mtype was;
    do
    :: atomic { n == WAITS -> break }
    :: atomic { n < WAITS && waits[whom] && !decided[whom] -> decided[whom] = 1 };
       atomic { was = word[whom]; word[whom] = GO }; /* the wait may be gone from here on */
       if
       :: was == GO_BY && mutant != 4 -> kick()
       :: was == GO_NOT -> atomic { woken[whom] = 1 }
       :: else
       fi;
       n++
    od
}

/* The kernel tells once of each turn of the call, which begins when the last is over. */
proctype caller() {
    byte n;
    do
    :: atomic { n == 2 -> break }
    /* it is let go under the lock `serving`, whoever has fetched its event */
    :: atomic { turn == 1 && n == 1 && !serving -> served[1]++; assert(served[1] == 1); turn = 0 }
    :: atomic { n < 2 && (n == 0 || turn == 0) -> turn = n + 1; told = turn; event_ready = 1; rouse(); n++ }
    od
}

proctype poller() {
    byte names;
    bool has_kick, has_event;
end:
    do
    :: atomic { kick_ready || event_ready -> fetch() };
       serve();
       if
       :: has_kick && mutant != 2 ->
           if
           :: atomic { slept_in -> kick_ready = 1; rouse() }
           :: atomic { !slept_in }
           fi
       :: else
       fi;
       has_kick = 0
    :: atomic { !kick_ready && !event_ready && done < SCHEDULERS -> sleeps[POLLER] = 1 };
end_asleep:
       atomic { roused[POLLER] -> roused[POLLER] = 0 }
    od
}

init {
    atomic {
        c_code { now.mutant = getenv("MUTANT") ? atoi(getenv("MUTANT")) : 0; };
        run scheduler(0); run opener(0);
#if SCHEDULERS == 2
        run scheduler(1); run opener(1);
#endif
        run poller(); run caller()
    };
    (done == SCHEDULERS && served[1] == 1 && served[2] == 1)
}
