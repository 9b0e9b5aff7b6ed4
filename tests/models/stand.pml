/* SPDX-License-Identifier: MIT
 *
 * stand.pml - a plain thread, or a scheduler, that is suspended while it waits, or is about to go on
 * (platform/linux/interrupt/stop.c, stop_thread.c, stop_point.c), with its processor's store buffer, for spin: stand.md.
 *
 * run     one -DSUSPENDERS=1 -DWAITS=2
 * run     three -DSUSPENDERS=3 -DWAITS=2
 * mutant  1 one: that a wait is over is said by a plain store
 * mutant  2 one: who comes from a wait looks, and then says so
 * mutant  3 one: the signal is not repeated
 * mutant  4 one: a thread does not look behind its wait
 * mutant  5 three: who has stood still does not look once more
 */
byte mutant;

/* Words: `stopped`, by which the thread says that it waits or stands still, and needs no signal. */
#define WORDS 1
#define STOPPED memory[0]
#define PROCESSORS 1
#define BUFFERED 1
#include "store_buffer.inc"

byte count;          /* of suspensions */
byte settled;        /* of these, how many the thread has come to a halt for */
bool pending;        /* the stop signal */
bool stop_due;       /* it came inside the library */
bool over;

inline say(what) { store(0, 0, what); (drained(0)) }

inline stand_still() {
    do
    :: atomic { !count -> break }
    :: atomic { count -> skip };
       say(1);
       (!count); /* in a futex */
       say(0);
       if
       :: mutant == 5 -> break
       :: else
       fi
    od
}

/* thread_stop_point */
inline wait_is_over() {
    if
    :: mutant == 1 -> store(0, 0, 0)
    :: mutant == 2 -> looked = count; say(0)
    :: else -> say(0)
    fi;
    if
    :: mutant == 4
    :: mutant == 2 && !looked
    :: else -> stand_still()
    fi
}

proctype thread() {
    byte waits;
    bool looked;
    do
    :: atomic { waits == WAITS -> break }
    :: atomic { waits < WAITS -> waits++ };
       store(0, 0, 1);
       do /* until its wait is over */
       :: atomic { pending -> pending = 0; stop_due = 1 }
       :: break
       od;
       wait_is_over();
       do /* on the way back it looks: stop_look_closely */
       :: atomic { pending -> pending = 0; stop_due = 1 }
       :: atomic { stop_due -> stop_due = 0 }; stand_still(); break
       :: atomic { !stop_due -> break }
       od;
       if
       :: atomic { pending -> pending = 0; stop_due = 1 } /* too late to be seen */
       :: true
       fi;
       assert(!settled);
       do /* the program's code */
       :: atomic { pending -> pending = 0 }; stand_still(); assert(!settled)
       :: atomic { !count -> break }
       od
    od;
    over = 1
}

/* SuspendThread, and the nudge, each millisecond until it has had its effect; ResumeThread. */
proctype suspender() {
    bool stopped;
    atomic { count++ };
    do
    :: atomic { over -> break }
    :: atomic { !over -> stopped = STOPPED };
       if
       :: atomic { stopped -> settled++; break }
       :: atomic { !stopped -> pending = 1 };
          (!pending || over || STOPPED); /* a millisecond */
          if
          :: mutant == 3 -> (STOPPED || over)
          :: else
          fi
       fi
    od;
    atomic {
        count--;
        if
        :: stopped -> settled--
        :: else
        fi
    }
}

init {
    byte i;
    atomic {
        c_code { now.mutant = getenv("MUTANT") ? atoi(getenv("MUTANT")) : 0; };
        run processors(); run thread();
        for (i : 1 .. SUSPENDERS) { run suspender() }
    };
    (_nr_pr == 2)
}
