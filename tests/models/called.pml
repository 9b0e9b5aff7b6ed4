/* SPDX-License-Identifier: MIT
 *
 * called.pml - threads that sleep until they are called, in the shapes that there are, with the processors' store
 * buffers, for spin: called.md has the code.
 *
 * run     cleared -DSHAPE=1 -DCALLERS=3 -DSLEEPERS=1
 * run     flagged -DSHAPE=2 -DCALLERS=3 -DSLEEPERS=1
 * run     counted -DSHAPE=3 -DCALLERS=2 -DSLEEPERS=3
 * run     gated -DSHAPE=4 -DCALLERS=3 -DSLEEPERS=1
 * mutant  1 cleared: the word is cleared without a fence
 * mutant  2 cleared: the word is cleared after the look
 * mutant  3 cleared: a caller wakes only where the word was set
 * mutant  4 flagged: who sleeps says so by a plain store
 * mutant  5 flagged: a caller looks whether somebody sleeps, and then says what it wants
 * mutant  6 flagged: who sleeps says so after the look
 * mutant  7 counted: who changes the word has no fence
 * mutant  8 counted: who sleeps counts itself after the look
 * mutant  9 counted: who sleeps looks without the lock under which it is woken
 * mutant  10 gated: the gate is closed by a plain store
 * mutant  11 gated: a creator looks at the gate, and then counts itself
 */
byte mutant;

/* Words: what the callers want, or have changed, each his own; behind them what the sleeper says. */
#define WORDS 4
#define SAID 3
#define PROCESSORS 4
#define BUFFERED 1
#include "store_buffer.inc"
#define SLEEPER 3 /* its processor; the callers' are the first */

bool served[3];   /* what the caller wanted was seen */
bool event;       /* the wake-up: of a futex, or of an event counter, which stays till it is used */
bool asleep[3];   /* in the kernel, or in the list of an address */
bool counted[3];
byte count;       /* of those who sleep at an address */

inline serve(whom) {
    if
    :: memory[whom] -> served[whom] = 1
    :: else
    fi
}

/* ---- A word that a caller sets and the sleeper clears before it looks: spawner, broker, watch for faults ---------- */

proctype caller_sets(byte me) {
    bool was;
    atomic { memory[me] = 1 }; /* under a lock, or by a locked instruction */
    atomic { was = memory[SAID]; memory[SAID] = 1 };
    if
    :: was == (mutant == 3) -> atomic { event = asleep[0] } /* a futex's: whoever sleeps by now */
    :: else
    fi
}

proctype sleeper_clears() {
    do
    :: if
       :: mutant == 1 -> store(SLEEPER, SAID, 0)
       :: mutant == 2
       :: else -> store(SLEEPER, SAID, 0); (drained(SLEEPER))
       fi;
       serve(0); serve(1); serve(2);
       if
       :: mutant == 2 -> store(SLEEPER, SAID, 0); (drained(SLEEPER))
       :: else
       fi;
       if
       :: atomic { served[0] && served[1] && served[2] -> break }
       :: atomic { !(served[0] && served[1] && served[2]) && drained(SLEEPER) && !memory[SAID] -> asleep[0] = 1 };
          atomic { event -> event = 0; asleep[0] = 0 }
       :: atomic { !(served[0] && served[1] && served[2]) && drained(SLEEPER) && memory[SAID] -> skip }
       fi
    od
}

/* ---- A flag that the sleeper sets before it looks: calls by the async thread, idle watch, resting poller ---------- */

proctype caller_asks(byte me) {
    bool sleeps;
    if
    :: mutant == 5 -> sleeps = memory[SAID]; atomic { memory[me] = 1 }
    :: else -> atomic { memory[me] = 1 }; sleeps = memory[SAID]
    fi;
    if
    :: atomic { sleeps && memory[SAID] -> memory[SAID] = 0 }; event = 1
    :: atomic { !(sleeps && memory[SAID]) -> skip }
    fi
}

#define anything ((memory[0] && !served[0]) || (memory[1] && !served[1]) || (memory[2] && !served[2]))

proctype sleeper_says() {
    bool any;
    do
    :: serve(0); serve(1); serve(2);
       atomic { any = 0 };
       if
       :: atomic { served[0] && served[1] && served[2] -> break }
       :: atomic { !(served[0] && served[1] && served[2]) -> skip }
       fi;
       if
       :: mutant == 4 -> store(SLEEPER, SAID, 1)
       :: mutant == 6 -> any = anything; store(SLEEPER, SAID, 1); (drained(SLEEPER))
       :: else -> store(SLEEPER, SAID, 1); (drained(SLEEPER))
       fi;
       if
       :: mutant != 6 -> any = anything
       :: else
       fi;
       if
       :: atomic { any -> skip }
       :: atomic { !any && event -> event = 0 }
       fi;
       store(SLEEPER, SAID, 0);
       (drained(SLEEPER))
    od
}

/* ---- A count of those who sleep at an address: condition variables, overlapped operations -------------------------- */

proctype publisher(byte me) {
    byte i;
    store(me, me, 1);
    if
    :: mutant != 7 -> (drained(me))
    :: else
    fi;
    if
    :: atomic { count -> skip };
       atomic { /* with the lock of the address */
           drained(me) ->
           for (i : 0 .. SLEEPERS - 1) { asleep[i] = 0 }
           i = 0
       }
    :: atomic { !count -> skip }
    fi
}

#define all_there (memory[0] && memory[1])

proctype waiter(byte me) {
    bool waits;
    do
    :: if
       :: mutant != 8 -> atomic { count++; counted[me] = 1 }
       :: else
       fi;
       if
       :: mutant == 9 -> waits = !all_there; atomic { asleep[me] = waits }
       :: else -> atomic { waits = !all_there; asleep[me] = waits } /* with the lock of the address */
       fi;
       if
       :: mutant == 8 -> atomic { count++; counted[me] = 1 }
       :: else
       fi;
       (!asleep[me]);
       atomic { count--; counted[me] = 0 };
       if
       :: atomic { !waits -> break }
       :: atomic { waits -> waits = 0 }
       fi
    od
}

/* ---- A gate that one closes, who waits until nobody is inside: births, islands against forks, looks at threads ----- */

byte inside;
bool alone;

proctype creator() {
    bool closed;
    do
    :: if
       :: mutant == 11 -> closed = memory[SAID]; atomic { count++ }
       :: else -> atomic { count++ }; closed = memory[SAID]
       fi;
       if
       :: atomic { !closed -> inside++; assert(!alone) };
          atomic { inside--; count-- };
          break
       :: atomic { closed -> count--; closed = 0 };
          (!memory[SAID])
       fi
    od
}

proctype closer() {
    byte times;
    do
    :: atomic { times == 2 -> break }
    :: atomic { times < 2 -> times++ };
       store(SLEEPER, SAID, 1);
       if
       :: mutant != 10 -> (drained(SLEEPER))
       :: else
       fi;
       atomic { count == 0 -> alone = 1; assert(!inside) };
       atomic { alone = 0 };
       store(SLEEPER, SAID, 0);
       (drained(SLEEPER))
    od
}

init {
    byte i;
    atomic {
        c_code { now.mutant = getenv("MUTANT") ? atoi(getenv("MUTANT")) : 0; };
        run processors();
#if SHAPE == 1
        memory[SAID] = 1;
        run sleeper_clears();
        for (i : 0 .. CALLERS - 1) { run caller_sets(i) };
#elif SHAPE == 2
        run sleeper_says();
        for (i : 0 .. CALLERS - 1) { run caller_asks(i) };
#elif SHAPE == 4
        run closer();
        for (i : 0 .. CALLERS - 1) { run creator() };
#else
        for (i : 0 .. CALLERS - 1) { run publisher(i) };
        for (i : 0 .. SLEEPERS - 1) { run waiter(i) };
#endif
        skip
    };
    (_nr_pr == 2)
}
