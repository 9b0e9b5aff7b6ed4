/* SPDX-License-Identifier: MIT
 *
 * sites.pml - call sites that are rewritten while threads run in them (platform/linux/libc/site_module.c, site_pool.c,
 * site_text.c, site_write.c), for spin: sites.md.
 *
 * run     rewrite -DWORKERS=2 -DPLAIN=1 -DROUNDS=1 -DSLOTS=2
 * run     again -DWORKERS=1 -DPLAIN=1 -DROUNDS=2 -DSLOTS=2
 * run     closed -DWORKERS=2 -DPLAIN=1 -DROUNDS=2 -DSLOTS=1 -DCLOSES
 * run     three -DWORKERS=3 -DPLAIN=1 -DROUNDS=1 -DSLOTS=2
 * run     three_closed -DWORKERS=3 -DPLAIN=0 -DROUNDS=2 -DSLOTS=1 -DCLOSES
 * mutant  1 rewrite: the jump is written where code runs, and a thread fetches a part of it
 * mutant  2 rewrite: the jump is there before its slot
 * mutant  3 rewrite: a lead of two instructions
 * mutant  4 rewrite: two write at the same time
 * mutant  5 rewrite: the jump takes the system call's own bytes
 * mutant  6 closed: a slot is used again while its jump stands
 * mutant  7 closed: the slot of a closed module stays its site's
 * mutant  8 again: a plain thread's slot leads behind the call
 * mutant  9 again: the slot leaves out the lead
 */
#define SITES 2

byte mutant;

/* Code. In the runs without CLOSES both sites are in one page, which is copied and moved as a whole. */
byte lead[SITES];    /* 0: the lead itself; else a jump to the slot of this number */
bool torn[SITES];    /* a part of a jump */
byte owner[3];       /* slots, from 1: whose lead is in it, as number + 1. They are in one page, too */

/* What the writers note, under the lock. */
bool lock;
byte noted[3];       /* slots: whose it is, as number + 1 */
bool told[SITES];    /* it was said to be rewritten */

byte inside[SITES];  /* threads between the lead and what is behind the call */
byte missed;           /* a site that found no slot, though one of a closed module was there */
bool closed;

/* One that the filter has stopped, in the handler: it stands in the site. */
inline rewrite(s) {
    atomic {
        if
        :: lock && mutant != 4 -> goto served
        :: else -> lock = 1
        fi
    };
    atomic {
        k = 0;
        if
        :: lead[s] != 0 -> goto unlock /* site_pool_stands */
        :: else
        fi;
        if /* find_free, free_gone */
        :: !noted[1] -> k = 1
        :: noted[1] && SLOTS > 1 && !noted[2] -> k = 2
        :: else ->
            if
            :: (lead[noted[1] - 1] != 1 || mutant == 6) && mutant != 7 -> k = 1
            :: else ->
                if
                :: lead[noted[1] - 1] != 1 -> missed = 1
                :: else
                fi;
                goto unlock
            fi
        fi
    };
    if
    :: mutant == 2 -> skip
    :: else ->
        atomic { other = owner[3 - k] };                   /* the slots' page is copied */
        atomic { owner[k] = s + 1; owner[3 - k] = other }  /* and moved */
    fi;
    atomic { noted[k] = s + 1 };
    if
    :: mutant == 1 -> atomic { torn[s] = 1 }; atomic { torn[s] = 0; lead[s] = k }
    :: else ->
        atomic { other = lead[1 - s] };
        atomic {
            lead[s] = k;
#ifndef CLOSES
            lead[1 - s] = other;
#endif
        }
    fi;
    if
    :: mutant == 2 -> atomic { owner[k] = s + 1 }
    :: else
    fi;
    atomic { told[s] = 1 };
unlock:
    atomic { lock = 0; other = 0; k = 0 };
served:
    skip
}

/* A thread goes through a site: each fetch of an instruction is a step. */
proctype thread(bool worker) {
    byte rounds, s, k, other, leads, calls, at;
    do
    :: atomic { rounds == ROUNDS -> break }
    :: atomic {
           rounds < ROUNDS ->
           rounds++; leads = 0; calls = 0;
           if
           :: s = 0
           :: s = 1
           fi;
           inside[s]++
       };
       atomic { /* the lead */
           assert(!torn[s]);
           at = lead[s];
           if
           :: at == 0 -> leads++
           :: else
           fi
       };
       if
       :: at ->
           atomic { /* the slot: the lead, and a look who calls */
               assert(owner[at] == s + 1);
               if
               :: mutant != 9 -> leads++
               :: else
               fi
           };
           if
           :: worker -> atomic { calls++; goto behind } /* user_call */
           :: !worker && mutant == 8 -> goto behind
           :: else
           fi
       :: at == 0 && mutant == 3 -> atomic { assert(lead[s] == 0) } /* the lead's second instruction */
       :: else
       fi;
       atomic { assert(!(mutant == 5 && lead[s] != 0)) }; /* the system call is fetched */
       if
       :: worker ->
           if
           :: rewrite(s)
           :: skip
           fi
       :: else
       fi;
       atomic { calls++ };
behind:
       atomic {
           assert(leads == 1 && calls == 1);
           inside[s]--; leads = 0; calls = 0; at = 0
       }
    od
}

#ifdef CLOSES
/* The first site's module is closed, which its users see to, and opened again at the same place. */
proctype closer() {
end:
    atomic { !inside[0] && lead[0] -> lead[0] = 0; told[0] = 0; closed = 1 }
}
#endif

init {
    byte i;
    atomic {
        c_code { now.mutant = getenv("MUTANT") ? atoi(getenv("MUTANT")) : 0; };
#ifdef CLOSES
        run closer(); /* before the threads, which could not end behind one that waits */
#endif
        for (i : 1 .. WORKERS) { run thread(1) };
#if PLAIN
        run thread(0);
#endif
    };
#ifdef CLOSES
    (_nr_pr == 1 || (_nr_pr == 2 && !lead[0] && !closed));
    assert(!missed);
#else
    (_nr_pr == 1);
    assert(told[0] == (lead[0] != 0) && told[1] == (lead[1] != 0));
#endif
}
