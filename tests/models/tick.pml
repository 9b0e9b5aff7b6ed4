/* SPDX-License-Identifier: MIT
 *
 * tick.pml - a wait that is not armed yet, and the tick that will arm it (platform/linux/calls/futex_bucket.h,
 * futex_table.c, tick.h, tick.c, poller.c), with the processors' store buffers, for spin: tick.md.
 *
 * run     three -DWAITERS=3 -DROUNDS=1 -DSLEEPS=1
 * run     again -DWAITERS=2 -DROUNDS=2 -DSLEEPS=1
 * by hand all -DWAITERS=3 -DROUNDS=2 -DSLEEPS=1
 * mutant  1 three: a wait is noted by plain stores
 * mutant  2 three: the tick does not ask whether a wait was noted since the last one
 * mutant  3 three: the tick decides whether to go on without the lock under which it is started
 * mutant  4 three: a bucket with a young wait is not noted again
 * mutant  5 three: the tick stops though it has left a wait
 * mutant  6 three: a wait is noted before its bucket is locked
 */
byte mutant;

/* Words, written by waiters that pass no fence in mutant 1: the lane's note of the bucket. */
#define WORDS 1
#define NOTED memory[0]
#define PROCESSORS WAITERS
#define BUFFERED 1
#include "store_buffer.inc"

mtype = { NOWHERE, TABLED, ARMED };
mtype wait[3] = NOWHERE; /* in the table: with the bucket's lock */
byte age[3];             /* ticks since it looked at their number */
bool ticking, since;     /* written with the deferral's lock */
bool set;                /* the timer */
bool deciding;           /* mutant 3 */
byte ended;

/* futex_bucket_note: the first who comes does it, by a locked instruction. */
inline note(me) {
    if
    :: !NOTED && mutant != 1 -> NOTED = 1
    :: !NOTED && mutant == 1 -> store(me, 0, 1)
    :: else
    fi
}

proctype waiter(byte me) {
    byte rounds;
    bool looks;
    do
    :: atomic { rounds == ROUNDS -> ended++; break }
    :: atomic { rounds < ROUNDS -> rounds++; age[me] = 0 };
       if
       :: mutant == 6 -> atomic { note(me) }
       :: else
       fi;
       atomic { /* with the bucket's lock */
           wait[me] = TABLED;
           if
           :: mutant != 6 -> note(me)
           :: else
           fi
       };
       /* tick_expect. To give up the bucket's lock is a locked instruction; but for mutant 1 nothing is in the buffer. */
       atomic { looks = !ticking };
       atomic { looks = looks || !since };
       if
       :: atomic { looks -> set = set || !ticking; ticking = 1; since = 1; looks = 0 }
       :: atomic { !looks -> skip }
       fi;
       atomic { wait[me] == ARMED -> wait[me] = NOWHERE }
    od
}

/* take_aged, with the bucket's lock; what was taken is posted, and armed. */
inline take_aged(least) {
    atomic {
        i = 0; left = 0;
        do
        :: i < WAITERS && wait[i] == TABLED && age[i] >= least -> wait[i] = ARMED; i++
        :: i < WAITERS && wait[i] == TABLED && age[i] < least -> left = 1; i++
        :: i < WAITERS && wait[i] != TABLED -> i++
        :: i == WAITERS -> break
        od;
        i = 0
    }
}

/* arm_aged */
inline arm(least) {
    left = 0;
    if
    :: atomic { NOTED -> NOTED = 0 };
       take_aged(least);
       atomic {
           if
           :: left && mutant != 4 -> NOTED = 1
           :: else
           fi
       }
    :: atomic { !NOTED -> skip }
    fi
}

proctype tick() {
    byte i;
    bool left, again;
    do
    :: atomic { ended == WAITERS && !set -> break }
    :: atomic {
           set -> set = 0;
           for (i : 0 .. WAITERS - 1) { age[i] = (age[i] < 2 -> age[i] + 1 : 2) }
           i = 0
       };
       arm(2);
       if
       :: mutant == 3 -> atomic { again = since || left }; atomic { ticking = again; since = 0 }
       :: else ->
           atomic { /* with the lock */
               again = (since && mutant != 2) || (left && mutant != 5);
               ticking = again;
               since = 0
           }
       fi;
       atomic { set = set || again; again = 0; left = 0 }
    od
}

/* A scheduler of the lane, which is about to sleep: arms whatever there is, once, at any time. */
proctype sleeper() {
    byte i;
    bool left;
    arm(0)
}

init {
    byte i;
    atomic {
        c_code { now.mutant = getenv("MUTANT") ? atoi(getenv("MUTANT")) : 0; };
        run processors();
        for (i : 0 .. WAITERS - 1) { run waiter(i) };
        run tick();
#if SLEEPS
        run sleeper()
#endif
    };
    (_nr_pr == 2)
}
