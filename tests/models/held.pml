/* SPDX-License-Identifier: MIT
 *
 * held.pml - a scheduler whose home runs a handler while its worker goes on (platform/linux/switch/hold.c,
 * interrupt/home_signals.c, home_run.c, umsshim/kept.c), for spin: held.md.
 *
 * run     one -DSIGNALS=1 -DLEAVES=2
 * run     two -DSIGNALS=2 -DLEAVES=2
 * by hand three -DSIGNALS=3 -DLEAVES=3
 * mutant  1 one: the home ends the hold in one step, and gives the lock back behind it
 * mutant  2 one: a wait that is over is not counted in the word
 * mutant  3 one: the carrier and the completer both take the worker
 * mutant  4 one: the carrier looks at the worker, and then reads the word
 * mutant  5 two: what was sent to the home, and is pending there, is not taken back
 * mutant  6 one: a leave does not look whether the scheduler is held
 * mutant  7 one: the hold begins without a word to the worker's leave
 * mutant  8 one: who ends the hold wakes nobody
 */
byte mutant;

mtype = { RUNNING, BLOCKED, QUEUED };
mtype state = RUNNING;

bool on, ends;      /* the word: HOLD_ON, HOLD_ENDS, and HOLD_NEWS */
byte news;
bool woken;         /* the carrier's futex */
bool asleep;
bool was_held;      /* the carrier's own: a leave goes the long way */
bool kept;          /* UMS_KEPT */
bool posted;        /* the worker's wait is over */
bool waits;         /* there is a wait to be completed */
byte queued;        /* signals at the scheduler: under signals_lock, as is `on` */
byte at_home;       /* those that the kernel has for the home */
bool is_at_home;
byte handled, sent;
bool signals_word;  /* the home's: HOME_SIGNALS */
bool uses;          /* the home uses the scheduler's thread pointer */
bool over;

#define lasts (on || ends)

/* A futex: sleeps unless the word has changed since it was read. */
inline sleep_unless_changed() {
    atomic {
        if
        :: seen_on == on && seen_ends == ends && seen_news == news -> asleep = 1; woken = 0
        :: else
        fi
    };
    (!asleep || woken);
    asleep = 0
}
inline read_word() { atomic { seen_on = on; seen_ends = ends; seen_news = news } }
#define seen_lasts (seen_on || seen_ends)

/* home_signals_hold, home_signals_stand: on the thread that carries the scheduler */
inline hold() {
    atomic {
        if
        :: !on && queued -> on = 1; begins = 1
        :: else -> begins = 0
        fi
    };
    if
    :: begins ->
        if
        :: mutant == 7
        :: else -> was_held = 1
        fi;
        signals_word = 1
    :: else
    fi
}

inline await_end() {
    do
    :: read_word();
       if
       :: seen_lasts -> sleep_unless_changed()
       :: else -> break
       fi
    od
}

/* The entry point's code, with the scheduler's thread pointer. It executes the worker at last. */
inline entry_point() {
    assert(!on && !ends && !uses);
    if
    :: queued -> hold(); /* at a stop point */
       if
       :: begins -> await_end(); was_held = 0
       :: else
       fi
    :: true
    fi;
    assert(!uses);
    if
    :: atomic { state == BLOCKED -> (state == QUEUED) } /* it sleeps on its list */
    :: else
    fi;
    atomic { assert(state == QUEUED); state = RUNNING }
}

proctype carrier() {
    byte leaves;
    bool begins, seen_on, seen_ends;
    byte seen_news;
    do
    :: leaves == LEAVES -> break
    :: else -> leaves++;
       do /* the worker's code: the stop signal meets it, or does not */
       :: queued && !on -> hold()
       :: break
       od;
       if
       :: was_held ->
           read_word();
           if
           :: !seen_lasts -> was_held = 0
           :: else
           fi
       :: else
       fi;
       if
       :: was_held && mutant != 6 -> /* leave_held */
           kept = 1;
           state = BLOCKED;
           atomic { waits = 1; posted = 0 };
           do /* comes_back */
           :: if
              :: mutant == 4
              :: else -> read_word()
              fi;
              if
              :: state == RUNNING -> break
              :: else
              fi;
              if
              :: mutant == 4 -> read_word()
              :: else
              fi;
              if
              :: !seen_lasts ->
                  atomic {
                      if
                      :: kept -> kept = 0; goto let_go
                      :: mutant == 3 -> goto let_go
                      :: else
                      fi
                  }
              :: else
              fi;
              sleep_unless_changed()
           od
       :: else -> /* it leaves as ever */
           assert(!on && !ends && !uses);
           state = BLOCKED;
           atomic { waits = 1; posted = 0 };
           entry_point()
       fi;
       goto next;
let_go:
       await_end();
       was_held = 0;
       entry_point();
next:
       skip
    od;
    over = 1
}

/* The thread that completes the worker's waits. */
proctype completer() {
    bool mine;
end:
    do
    :: atomic { waits -> waits = 0 };
       atomic { mine = kept; kept = 0 };
       if
       :: mine ->
           atomic { assert(state == BLOCKED); state = RUNNING };
           atomic {
               if
               :: mutant == 2
               :: else -> news++
               fi;
               woken = 1
           }
       :: else ->
           atomic { assert(state == BLOCKED); state = QUEUED }
       fi
    od
}

proctype home() {
    bool done;
end:
    do
    :: signals_word ->
        signals_word = 0;
        uses = 1;
        do
        :: atomic { is_at_home = 1; at_home = at_home + queued; queued = 0 }; /* take_home */
           do /* the handlers, one at a time */
           :: atomic { at_home -> at_home--; handled++ }
           :: break
           od;
           atomic { /* finish: under the lock */
               if
               :: mutant == 5
               :: else -> queued = queued + at_home; at_home = 0
               fi;
               done = !queued;
               if
               :: done ->
                   is_at_home = 0;
                   on = 0;
                   if
                   :: mutant == 1
                   :: else -> ends = 1
                   fi
               :: else
               fi
           };
           if
           :: done -> break
           :: else
           fi
        od;
        uses = 0;
        ends = 0;
        atomic {
            if
            :: mutant == 8
            :: else -> woken = 1
            fi
        }
    od
}

/* signal_send: and the nudge, which comes again until the signal is no longer queued. */
proctype sender() {
    do
    :: sent == SIGNALS -> break
    :: else ->
       atomic {
           sent++;
           if
           :: is_at_home -> at_home++
           :: else -> queued++
           fi
       }
    od
}

init {
    atomic {
        c_code { now.mutant = getenv("MUTANT") ? atoi(getenv("MUTANT")) : 0; };
        run carrier(); run completer(); run home(); run sender()
    };
    (over && sent == SIGNALS && !signals_word && !uses && !on && !ends);
    assert(handled + queued == SIGNALS)
}
