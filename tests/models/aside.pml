/* SPDX-License-Identifier: MIT
 *
 * aside.pml - a worker whose home runs its handlers while schedulers execute it and threads end it (umsshim/aside.c,
 * scheduler.c, stop.c, exit.c), for spin: aside.md.
 *
 * run     executes -DSCHEDULERS=1 -DTIMES=2 -DNUDGES=2 -DENDS=0
 * run     ends -DSCHEDULERS=1 -DTIMES=1 -DNUDGES=2 -DENDS=1
 * by hand two -DSCHEDULERS=2 -DTIMES=1 -DNUDGES=2 -DENDS=0
 * mutant  1 executes: an execution does not look at UMS_ASIDE behind its claim
 * mutant  2 executes: who sets UMS_ASIDE does not read the state behind it
 * mutant  3 executes: UMS_AWAITED is set without a compare-exchange
 * mutant  4 executes: the home reads UMS_AWAITED, and then takes UMS_ASIDE out
 * mutant  5 ends: who ends the worker does not leave the rest to the home
 * mutant  6 ends: the home reads UMS_KILLED, and then takes UMS_ASIDE out
 * mutant  7 executes: the second who wants it aside begins it, too
 * mutant  8 ends: who gives it up again does not look at UMS_KILLED
 * mutant  9 ends: who gives it up again ends one that was ended before
 */
byte mutant;

mtype = { QUEUED, READY, RUNNING, BLOCKED, EXITING };
mtype state = READY;
bool aside, awaited, killed, terminating; /* the stop word */
bool signals_word; /* the home's: HOME_SIGNALS */
byte users;        /* of the worker's stack */
byte ended;        /* its home was told to end */
byte finished;
byte nudged;

inline set(from, to) { assert(state == from); state = to }
inline use_stack() { atomic { assert(users == 0); users++ } }
inline free_stack() { users-- }
inline kill() { atomic { ended++; assert(ended == 1 && users == 0) } }

/* ums__worker_end */
inline end_it() {
    atomic { left_to_home = aside; killed = 1 };
    if
    :: left_to_home && mutant != 5
    :: else -> kill()
    fi
}

/* ums__worker_completed */
inline completed() {
    if
    :: terminating -> atomic { set(BLOCKED, EXITING) }; end_it()
    :: else -> atomic { set(BLOCKED, QUEUED) }
    fi
}

/* ums__worker_aside_over, and what its caller does next */
inline is_over(look_at_killed) {
    if
    :: mutant == 4 -> was_awaited = awaited; atomic { aside = 0; awaited = 0; was_killed = killed }
    :: mutant == 6 -> was_killed = killed; atomic { aside = 0; was_awaited = awaited; awaited = 0 }
    :: else -> atomic { aside = 0; was_awaited = awaited; awaited = 0; was_killed = killed }
    fi;
    if
    :: was_killed ->
        if
        :: look_at_killed -> kill()
        :: else
        fi
    :: was_awaited && !was_killed -> completed()
    :: else
    fi;
    was_killed = 0;
    was_awaited = 0
}

/* home_signals_aside, in a nudge: under thread->binding, so one at a time */
bool binding;
proctype nudger() {
    bool was, was_killed, was_awaited, left_to_home, was_terminating, before;
    mtype seen;
    do
    :: nudged == NUDGES -> break
    :: atomic { nudged < NUDGES && !binding -> nudged++; binding = 1 };
       atomic { was = aside; was_terminating = terminating; before = killed; aside = 1 };
       if
       :: mutant == 2 -> seen = READY
       :: else -> seen = state
       fi;
       if
       :: was && mutant != 7
       :: else ->
           if
           :: (seen == QUEUED || seen == READY) && !was_terminating -> signals_word = 1
           :: else -> is_over(mutant != 8 && (!before || mutant == 9))
           fi
       fi;
       atomic { was = 0; was_terminating = 0; before = 0; seen = 0 };
       binding = 0
    od;
    finished++
}

proctype home() {
    bool was_killed, was_awaited, left_to_home;
end:
    do
    :: atomic { signals_word -> signals_word = 0 };
       use_stack();
       free_stack();
       is_over(true)
    od
}

/* The worker runs, and yields or ends. */
inline run_worker() {
    use_stack();
    if
    :: free_stack();
       atomic { set(RUNNING, READY) }
    :: terminating -> free_stack(); atomic { set(RUNNING, EXITING) }; end_it()
    fi
}

proctype scheduler() {
    bool left_to_home;
    byte times;
    do
    :: times == TIMES -> break
    :: atomic { state == EXITING -> break }
    :: atomic { state == BLOCKED -> (state != BLOCKED) }
    :: atomic { state == QUEUED -> state = READY }
    :: state == READY && !terminating ->
       if
       :: aside ->
           atomic {
               if
               :: state == READY -> state = RUNNING
               :: else -> goto again
               fi
           };
           if
           :: terminating -> atomic { set(RUNNING, READY) }; goto again
           :: else
           fi;
           atomic { set(RUNNING, BLOCKED) }; /* ums__worker_await */
           if
           :: mutant == 3 ->
               if
               :: aside -> awaited = 1; times++; goto again
               :: else
               fi
           :: else ->
               atomic {
                   if
                   :: aside -> awaited = 1; times++; goto again
                   :: else
                   fi
               }
           fi;
           atomic { set(BLOCKED, RUNNING) };
           if
           :: terminating -> atomic { set(RUNNING, READY) }; goto again
           :: else
           fi
       :: else ->
           atomic {
               if
               :: state == READY -> state = RUNNING
               :: else -> goto again
               fi
           };
           if
           :: (aside && mutant != 1) || terminating -> atomic { set(RUNNING, READY) }; goto again
           :: else
           fi
       fi;
       times++;
       run_worker();
again: skip
    od;
    finished++
}

/* TerminateThread, and the nudge that comes again. */
proctype ender() {
    bool left_to_home;
    mtype seen;
    terminating = 1;
    do
    :: atomic { state == EXITING -> break }
    :: atomic { !binding -> binding = 1 };
       seen = state;
       if
       :: seen == QUEUED || seen == READY ->
           atomic {
               if
               :: state == seen -> state = EXITING; left_to_home = 1
               :: else -> left_to_home = 0
               fi
           };
           if
           :: left_to_home -> end_it()
           :: else
           fi
       :: else /* RUNNING: the stop signal; BLOCKED: its wait is cancelled, and it has none */
       fi;
       seen = 0;
       binding = 0
    od;
    finished++
}

init {
    byte i;
    atomic {
        c_code { now.mutant = getenv("MUTANT") ? atoi(getenv("MUTANT")) : 0; };
        for (i : 1 .. SCHEDULERS) { run scheduler() };
        run nudger(); run home();
#if ENDS
        run ender()
#endif
    };
    (finished == SCHEDULERS + 1 + ENDS && !signals_word && !aside && state != RUNNING && state != BLOCKED &&
     ended == ENDS)
}
