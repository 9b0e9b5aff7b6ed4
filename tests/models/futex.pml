/* SPDX-License-Identifier: MIT
 *
 * futex.pml - waits for a word: the table, arming, and wakes of others (platform/linux/calls/futex_table.c,
 * futex_wake.c), for spin: futex.md.
 *
 * run     wakes -DFOREIGN=1 -DOWN=2
 * run     owed -DFOREIGN=0 -DOWN=3 -DOWES=1
 * run     cancelled -DFOREIGN=1 -DOWN=2 -DCANCELS=1
 * mutant  1 wakes: the word is compared before the bucket is locked
 * mutant  2 wakes: a wait is armed though its word has changed
 * mutant  3 wakes: a wait that is armed stays in the table
 * mutant  4 wakes: who finds too few in the table does not ask the kernel
 * mutant  5 owed: what is owed is forgotten
 * mutant  6 owed: waits are armed, and what is owed of their bucket is not made
 * mutant  7 cancelled: a cancelled wait stays in the table
 * mutant  8 wakes: waits that stay in the table are never armed
 */
#ifndef OWES
#define OWES 0
#endif
#ifndef CANCELS
#define CANCELS 0
#endif
#define WAITERS 3

byte mutant;

/* A semaphore: the word counts its tokens, and whoever finds none waits while it is 0. */
byte word;
mtype = { RUNS, TABLED, TAKEN, POSTED, IN_KERNEL, OVER };
mtype wait[WAITERS] = RUNS;
byte owed;               /* wakes that a worker owes the kernel */
byte got, cancelled;

/* Who takes a wait out of the table, or the kernel's queue, completes it: once. */
inline complete(who) {
    assert(wait[who] == TAKEN || wait[who] == POSTED || wait[who] == IN_KERNEL);
    wait[who] = OVER
}

inline wake_in_kernel(count) {
    if
    :: count > 0 && wait[0] == IN_KERNEL -> complete(0); count--
    :: count > 0 && wait[0] != IN_KERNEL && wait[1] == IN_KERNEL -> complete(1); count--
    :: count > 0 && wait[0] != IN_KERNEL && wait[1] != IN_KERNEL && wait[2] == IN_KERNEL -> complete(2); count--
    :: else
    fi
}

proctype waiter(byte me) {
    do
    :: atomic { word > 0 -> word--; got++; break }
    :: atomic { word == 0 -> skip }; /* it calls the kernel, and finds itself here */
       if
       :: mutant == 1 -> atomic { word == 0 -> skip }; atomic { wait[me] = TABLED }
       :: else ->
           atomic { /* with the bucket's lock */
               if
               :: word == 0 -> wait[me] = TABLED
               :: else -> wait[me] = OVER /* EAGAIN */
               fi
           }
       fi;
       atomic {
           wait[me] == OVER -> wait[me] = RUNS;
           if
           :: cancelled == me + 1 -> cancelled = 0; got++; break /* its worker ends, or has a handler to run */
           :: else
           fi
       }
    od
}

/* A worker: looks in the table first. The table's part is one step, with the lock; then, without, it completes. */
proctype waker(byte times) {
    byte x, left;
    do
    :: times == 0 -> break
    :: else ->
        atomic { word++; times-- };
        atomic {
            left = 1;
            x = WAITERS;
            if
            :: wait[0] == TABLED -> x = 0
            :: wait[1] == TABLED -> x = 1
            :: wait[2] == TABLED -> x = 2
            :: wait[0] != TABLED && wait[1] != TABLED && wait[2] != TABLED
            fi;
            if
            :: x < WAITERS -> wait[x] = TAKEN; left = 0
            :: x == WAITERS && OWES && mutant != 5 -> owed++; left = 0
            :: x == WAITERS && OWES && mutant == 5 -> left = 0
            :: else
            fi
        };
        atomic {
            if
            :: x < WAITERS -> complete(x)
            :: else
            fi
        };
        atomic {
            if
            :: left && mutant != 4 -> wake_in_kernel(left)
            :: else
            fi;
            left = 0
        }
    od
}

/* A plain thread, or another process: has the kernel only. */
proctype foreigner(byte times) {
    byte left;
    do
    :: times == 0 -> break
    :: else ->
        atomic { word++; times-- };
        atomic { left = 1; wake_in_kernel(left); left = 0 }
    od
}

/* The tick, or a scheduler that is about to sleep: pays the debt, takes, posts; the reactor then asks the kernel, which
 * compares once more. */
proctype arming() {
    byte x, left;
    do
    :: atomic {
           (wait[0] == TABLED || wait[1] == TABLED || wait[2] == TABLED || (owed && mutant != 6)) && mutant != 8 ->
           if
           :: owed && mutant != 6 -> left = owed; owed = 0
           :: else
           fi
       };
       do
       :: atomic { left > 0 -> x = left; wake_in_kernel(x); left--; x = 0 }
       :: atomic { left == 0 -> break }
       od;
       atomic {
           if
           :: wait[0] == TABLED -> x = 0
           :: wait[1] == TABLED -> x = 1
           :: wait[2] == TABLED -> x = 2
           :: else -> x = WAITERS
           fi;
           if
           :: x < WAITERS && mutant != 3 -> wait[x] = POSTED
           :: else
           fi
       };
       atomic {
           if
           :: x < WAITERS && (word == 0 || mutant == 2) ->
               assert(wait[x] == POSTED);
               wait[x] = IN_KERNEL
           :: x < WAITERS && word > 0 && mutant != 2 -> complete(x) /* EAGAIN */
           :: else
           fi;
           x = 0
       }
    :: atomic { got == WAITERS -> break }
    od
}

/* A signal, or TerminateThread: where the wait is, it is taken away there. */
proctype canceller() {
    bool mine;
    do
    :: atomic {
           wait[0] == TABLED -> mine = 1; cancelled = 1;
           if
           :: mutant != 7 -> wait[0] = TAKEN
           :: else
           fi;
           break
       }
    :: atomic { wait[0] == IN_KERNEL -> cancelled = 1; complete(0); break }
    :: atomic { got == WAITERS -> break }
    od;
    atomic {
        if
        :: mine -> complete(0)
        :: else
        fi
    }
}

init {
    atomic {
        c_code { now.mutant = getenv("MUTANT") ? atoi(getenv("MUTANT")) : 0; };
        run waiter(0); run waiter(1); run waiter(2);
        run waker(OWN); run foreigner(FOREIGN); run arming();
#if CANCELS
        run canceller()
#endif
    };
    (_nr_pr == 1)
}
