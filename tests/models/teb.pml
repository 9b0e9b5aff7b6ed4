/* SPDX-License-Identifier: MIT
 *
 * teb.pml - exchanges of TEB contents and walks through all TEBs (platform/windows/switch/teb_fence.h, teb_fence.c), with
 * the processors' store buffers, for spin: teb.md.
 *
 * run     walks -DSCHEDULERS=2 -DEXCHANGES=1 -DWALKERS=1
 * run     loads -DSCHEDULERS=1 -DEXCHANGES=2 -DLOADERS=2 -DLOADS=1
 * run     again -DSCHEDULERS=1 -DEXCHANGES=2 -DLOADERS=1 -DLOADS=2
 * run     both -DSCHEDULERS=2 -DEXCHANGES=1 -DWALKERS=1 -DLOADERS=1 -DLOADS=1
 * run     two_loads -DSCHEDULERS=2 -DEXCHANGES=1 -DLOADERS=2 -DLOADS=1
 * mutant  1 walks: the walker has no stores made visible
 * mutant  2 walks: an exchange looks at the fence before it says that it is under way
 * mutant  3 walks: the walker does not wait
 * mutant  4 walks: an exchange says that it is over before it is
 * mutant  5 loads: a second loader trusts the fence of one that has given up
 * mutant  6 again: who lowers the fence goes by the thread, not by the load
 * mutant  7 loads: the fence of a load that was given up is lowered twice
 */
#ifndef WALKERS
#define WALKERS 0
#endif
#ifndef LOADERS
#define LOADERS 0
#define LOADS 0
#endif
#define EXCHANGING 4 /* the first behind the TEBs */

byte mutant;

/* Words: TEBs, two for each scheduler: its thread's, and its worker's own. Each holds one value, once. Behind them
 * `exchanging` of each scheduler. */
#define WORDS 6
#define PROCESSORS 2
#define BUFFERED 6
#include "store_buffer.inc"

byte raised;
byte loader; /* 0: none; else the load's number * 4 + the thread's */
byte load;   /* numbers given */
byte owner;  /* of the loader's lock; 0: none */

inline say(s, what) { store(s, (EXCHANGING + s), what) }

inline lower_for(ticket) {
    atomic {
        if
        :: ticket && (loader == ticket || mutant == 7) -> loader = 0; ours = 1
        :: else -> ours = 0
        fi
    };
    if
    :: ours -> atomic { assert(raised); raised-- }
    :: else
    fi
}

proctype scheduler(byte s) {
    byte rounds, ticket, mine = 2 * s + 1, its = 2 * s + 2, held;
    bool ours;
    do
    :: atomic { rounds == EXCHANGES -> break }
    :: atomic { rounds < EXCHANGES -> rounds++ };
       if
       :: mutant == 2 -> (!raised); say(s, 1)
       :: else ->
           say(s, 1);
           do
           :: atomic { !raised -> break }
           :: atomic { raised -> skip }; /* teb_fence_wait */
              say(s, 0);
              atomic { ticket = loader };
              if
              :: atomic { ticket && owner != ticket % 4 -> drained(s) }; lower_for(ticket)
              :: atomic { !(ticket && owner != ticket % 4) -> ticket = 0 }
              fi;
              atomic { ticket = 0; ours = 0 };
              say(s, 1);
              (drained(s))
           od
       fi;
       atomic { held = mine; mine = its; its = held; held = 0 };
       if
       :: mutant == 4 -> say(s, 0)
       :: else
       fi;
       store(s, (2 * s), mine);
       store(s, (2 * s + 1), its);
       if
       :: mutant != 4 -> say(s, 0)
       :: else
       fi
    od
}

inline wait_for_exchanges() {
    if
    :: mutant != 1 -> (drained(0)); (drained(1)) /* FlushProcessWriteBuffers */
    :: else
    fi;
    if
    :: mutant != 3 -> (!memory[EXCHANGING]); (!memory[EXCHANGING + 1])
    :: else
    fi
}

inline walk() {
    seen = 0;
    at = 0;
    do
    :: atomic { at < 2 * SCHEDULERS -> seen = seen | (1 << memory[at]); at++ }
    :: atomic { at == 2 * SCHEDULERS -> break }
    od;
    atomic { assert(seen == (SCHEDULERS == 1 -> 6 : 30)); seen = 0; at = 0 }
}

proctype walker() {
    byte seen, at;
    atomic { raised++ };
    wait_for_exchanges();
    walk();
    atomic { raised-- }
}

/* It loads a module with static TLS: the fence is up from its mapping on. */
proctype loading(byte me) {
    byte seen, at, before, ticket, loads;
    bool ours;
    do
    :: atomic { loads == LOADS -> break }
    :: atomic { loads < LOADS && !owner -> owner = me; loads++ };
       atomic { /* teb_fence_raise_for_loader */
           before = loader;
           load++;
           if
           :: mutant == 5 && before -> skip
           :: mutant == 6 -> loader = 4 + me
           :: else -> loader = load * 4 + me
           fi
       };
       if
       :: !before -> atomic { raised++ }
       :: else
       fi;
       wait_for_exchanges();
       walk();
       if
       :: skip; /* teb_fence_module_loaded */
          atomic { ticket = loader };
          if
          :: ticket % 4 == me -> lower_for(ticket)
          :: else
          fi;
          atomic { ticket = 0; ours = 0; before = 0; owner = 0 }
       :: atomic { before = 0; owner = 0 } /* the load is given up, and nobody tells */
       fi
    od
}

init {
    byte i;
    atomic {
        c_code { now.mutant = getenv("MUTANT") ? atoi(getenv("MUTANT")) : 0; };
        for (i : 0 .. 3) { memory[i] = i + 1 };
        run processors();
        for (i : 1 .. SCHEDULERS) { run scheduler(i - 1) };
#if WALKERS
        run walker();
#endif
#if LOADERS
        for (i : 1 .. LOADERS) { run loading(i) };
#endif
    };
    (_nr_pr == 2);
    assert(raised == (loader != 0))
}
