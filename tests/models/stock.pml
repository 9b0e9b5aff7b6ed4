/* SPDX-License-Identifier: MIT
 *
 * stock.pml - homes and their stock (platform/linux/threads/home.c, home_stock.c, home_again.c; traps/errand.c), with
 * the processors' store buffers, for spin: stock.md.
 *
 * run     errands -DWORKERS=2 -DHOMES=2 -DWANTED=2 -DERRANDS=1
 * run     changes -DWORKERS=2 -DHOMES=2 -DCHANGES=1
 * run     three -DWORKERS=3 -DHOMES=2
 * by hand three_homes -DWORKERS=3 -DHOMES=3
 * by hand three_changes -DWORKERS=3 -DHOMES=2 -DCHANGES=1
 * mutant  1 errands: a home is taken out of the stock, and stays there
 * mutant  2 changes: a home for which there is no room is dismissed, and put into the stock as well
 * mutant  3 errands: a home that has something to end is dismissed
 * mutant  4 errands: a home is renewed after it is back
 * mutant  5 errands: a dismissed home is read once more
 * mutant  6 errands: a home says that an errand is over, and then parks
 * mutant  7 changes: a home that is on its way into the stock is not counted
 * mutant  8 errands: a home that could not be made stays on its way
 * mutant  9 changes: between a worker's end and the look at the age there is no locked instruction
 * mutant  10 changes: the age is not looked at
 * mutant  11 errands: homes that have arrived are read, and then cleared
 * mutant  12 errands: the broker dismisses homes without the stock's lock
 */
#ifndef ERRANDS
#define ERRANDS 0
#endif
#ifndef CHANGES
#define CHANGES 0
#endif
#ifndef WANTED
#define WANTED (HOMES - 1)
#endif
#define SCHEDULERS 2
#define NOBODY 9

byte mutant;

/* Words: whether the map of thread ids says that a home is a worker's. */
#define WORDS HOMES
#define WORKERS_OWN(h) memory[h]
#define PROCESSORS SCHEDULERS
#define BUFFERED 1
#include "store_buffer.inc"

mtype = { PARKED, ERRAND, RETURN, DISMISSED };  /* home.h */
mtype = { UNBORN, BUSY, ALIVE, ENDED };         /* BUSY: in one thread's hands */
mtype word[HOMES] = PARKED;
bool made[HOMES], there[HOMES];      /* the kernel makes the thread; it is there, with its frames */
bool coming[HOMES], arrived[HOMES];  /* made for the stock: begun; there */
bool in_stock[HOMES];
byte user[HOMES] = NOBODY;           /* who may write its stack: a worker, or a scheduler, numbered behind them */
bool age[HOMES], has[HOMES];         /* the age it noted at its birth; whether it has the program's new processors */
bool age_now, changed;
mtype worker[WORKERS] = UNBORN;
byte home[WORKERS] = NOBODY;
bool ran[WORKERS], done[WORKERS];    /* an errand */
bool idle;                           /* no birth has come for a while */
byte told;                           /* ends that were told */

#if HOMES == 3
#define third(what) what
#else
#define third(what) 0
#endif
#define used(h) (there[h] || made[h] || coming[h])
#define count (in_stock[0] + in_stock[1] + third(in_stock[2]))
#define on_the_way (coming[0] + coming[1] + third(coming[2]))
#define full (count + (mutant == 7 -> 0 : on_the_way) >= (idle -> 0 : WANTED))

/* One that is not so; NOBODY: there is none. */
#define first_in_stock (in_stock[0] -> 0 : (in_stock[1] -> 1 : (third(in_stock[2]) -> 2 : NOBODY)))
#define first_unused (!used(0) -> 0 : (!used(1) -> 1 : (third(!used(2)) -> 2 : NOBODY)))

/* The kernel thread h. */
proctype thread(byte h) {
end:
    do
    :: atomic { made[h] -> made[h] = 0; there[h] = 1; age[h] = age_now }; /* settle */
       atomic { has[h] = age_now; arrived[h] = coming[h] };               /* home_stock_enter */
again: /* home_park */
       if
       :: atomic { word[h] == ERRAND -> assert(user[h] < WORKERS) };
          if
          :: mutant == 6 -> atomic { done[user[h]] = 1 }; atomic { word[h] = PARKED }
          :: else -> atomic { word[h] = PARKED }; atomic { assert(user[h] < WORKERS); done[user[h]] = 1 }
          fi;
          goto again
       :: atomic { word[h] == RETURN -> assert(user[h] < WORKERS && worker[user[h]] == BUSY) };
          atomic { /* destructors, on the worker's stack; its end is told */
              assert(!in_stock[h] && !arrived[h] && user[h] < WORKERS);
              WORKERS_OWN(h) = 0; worker[user[h]] = ENDED; home[user[h]] = NOBODY; told++;
              user[h] = NOBODY
          }
       :: atomic { word[h] == DISMISSED -> assert(user[h] == NOBODY && !in_stock[h]) }
       fi;
       atomic { there[h] = 0; age[h] = 0; has[h] = 0; word[h] = PARKED }
    od
}

/* With the stock's lock. What arrives is pushed by a compare-exchange, and taken by an exchange. */
inline let_in(h) {
    if
    :: arrived[h] -> arrived[h] = 0; assert(coming[h] && !in_stock[h]); coming[h] = 0; in_stock[h] = 1
    :: else
    fi
}

inline let_all_in() {
    let_in(0); let_in(1);
#if HOMES == 3
    let_in(2);
#endif
    assert(count + on_the_way <= WANTED || mutant == 1)
}

inline dismiss(h) {
    atomic {
        assert(there[h] && user[h] == NOBODY);
        word[h] = DISMISSED;
        if
        :: mutant != 5 -> h = NOBODY
        :: else
        fi
    };
    if
    :: atomic { mutant == 5 -> assert(there[h]); h = NOBODY }
    :: else
    fi
}

/* One turn at a time of the lane's broker, and the kernel's answer. */
proctype broker() {
    byte h = NOBODY;
    bool read[2];
    do
    :: atomic { told == WORKERS && idle && !used(0) && !used(1) && !third(used(2)) -> break }
    :: atomic { !idle -> idle = 1 }
    /* restock: what has arrived, one too many, one too few */
    :: atomic { mutant != 11 && (arrived[0] || arrived[1] || third(arrived[2])) -> let_all_in() }
    :: atomic { idle && count -> h = first_in_stock; in_stock[h] = 0 };
       dismiss(h)
    :: atomic { !full && first_unused != NOBODY -> h = first_unused; coming[h] = 1 };
       atomic {
           if
           :: made[h] = 1
           :: mutant != 8 -> coming[h] = 0 /* the system's limit */
           :: mutant == 8
           fi;
           h = NOBODY
       }
    :: atomic { mutant == 11 && (arrived[0] || arrived[1]) -> read[0] = arrived[0]; read[1] = arrived[1] };
       atomic {
           in_stock[0] = in_stock[0] || read[0]; coming[0] = coming[0] && !read[0];
           in_stock[1] = in_stock[1] || read[1]; coming[1] = coming[1] && !read[1];
           arrived[0] = 0; arrived[1] = 0; read[0] = 0; read[1] = 0
       }
    :: atomic { mutant == 12 && idle && count -> h = first_in_stock };
       atomic { in_stock[h] = 0 };
       dismiss(h)
    od
}

inline move_in(w) {
    atomic {
        assert(there[h] && user[h] == NOBODY && !in_stock[h]);
        user[h] = w; home[w] = h;
        store(me, h, 1)
    };
    atomic { drained(me) -> worker[w] = ALIVE; h = NOBODY } /* its list's push */
}

/* On a scheduler, by it or by a worker of its. */
inline be_born(w) {
    atomic { /* home_stock_take */
        idle = 0;
        if
        :: mutant != 11 -> let_all_in()
        :: else
        fi;
        h = first_in_stock;
        if
        :: h != NOBODY && mutant != 1 -> in_stock[h] = 0
        :: else
        fi
    };
    if
    :: atomic { h == NOBODY && first_unused != NOBODY -> h = first_unused; made[h] = 1 }; /* made by a broker, for it */
       atomic { there[h] && (has[h] || !age_now || !age[h]) -> skip };
       move_in(w)
    :: atomic { h == NOBODY && first_unused == NOBODY -> worker[w] = UNBORN } /* it fails, and comes again */
    :: atomic { h != NOBODY -> assert(!changed || has[h]) };
       move_in(w)
    fi
}

/* home_run: the worker waits in place. */
inline run_errand(w) {
    atomic { ran[w] = 1; assert(there[home[w]] && word[home[w]] == PARKED); word[home[w]] = ERRAND };
    atomic { done[w] -> done[w] = 0; worker[w] = ALIVE }
}

/* home_is_kept, once the stock seems to have room and the worker has left nothing. */
inline keep(w) {
    atomic { user[h] = WORKERS + me; store(me, h, 0) };
    if
    :: mutant != 9 -> (drained(me)) /* the list's push, the object's lock */
    :: else
    fi;
    atomic { worker[w] = ENDED; home[w] = NOBODY; told++ }; /* it may be deleted */
    if
    :: mutant == 4
    :: else -> atomic { assert(there[h] && user[h] == WORKERS + me); user[h] = NOBODY } /* home_renew */
    fi;
    atomic { room = (age[h] == age_now) || mutant == 10 };
    atomic { /* home_stock_return */
        drained(me) ->
        if
        :: room && !full -> in_stock[h] = 1
        :: room && full && mutant == 2 -> in_stock[h] = 1; room = 0
        :: else -> room = 0
        fi
    };
    if
    :: mutant == 4 -> atomic { assert(user[h] == WORKERS + me); user[h] = NOBODY }
    :: else
    fi;
    if
    :: atomic { room -> h = NOBODY; room = 0 }
    :: atomic { !room -> skip }; dismiss(h)
    fi
}

proctype scheduler(byte me) {
    byte h = NOBODY, w;
    bool room;
    do
    :: atomic { told == WORKERS -> break }
    :: atomic { /* in turn: they are alike */
           if
           :: worker[0] == UNBORN -> w = 0
           :: worker[0] != UNBORN && worker[1] == UNBORN -> w = 1
           :: worker[0] != UNBORN && worker[1] != UNBORN && worker[WORKERS - 1] == UNBORN -> w = WORKERS - 1
           fi;
           worker[w] = BUSY
       };
       be_born(w);
       w = 0
    :: atomic {
           if
           :: worker[0] == ALIVE -> w = 0
           :: worker[1] == ALIVE -> w = 1
           :: worker[WORKERS - 1] == ALIVE -> w = WORKERS - 1
           fi;
           worker[w] = BUSY
       };
       if
       :: ERRANDS && !ran[w] -> run_errand(w)
       :: atomic { h = home[w]; room = !full }; /* home_stock_has_room: a guess */
          if
          :: room -> keep(w)
          :: atomic { mutant != 3 -> word[h] = RETURN; h = NOBODY; room = 0 } /* worker_go_home */
          :: atomic { mutant == 3 -> word[h] = DISMISSED; h = NOBODY; room = 0 }
          fi
       fi;
       w = 0
    od
}

/* threads_change_affinity: the age, and then each thread that is there. */
proctype changer() {
    byte i;
    atomic { age_now = 1 };
    do
    :: atomic { i < HOMES && there[i] && !WORKERS_OWN(i) -> has[i] = 1; i++ }
    :: atomic { i < HOMES && !(there[i] && !WORKERS_OWN(i)) -> i++ }
    :: atomic { i == HOMES -> changed = 1; i = 0; break }
    od
}

init {
    byte i;
    atomic {
        c_code { now.mutant = getenv("MUTANT") ? atoi(getenv("MUTANT")) : 0; };
        run processors();
        for (i : 0 .. HOMES - 1) { run thread(i) };
        run broker();
        for (i : 0 .. SCHEDULERS - 1) { run scheduler(i) };
#if CHANGES
        run changer()
#endif
    };
    (_nr_pr == HOMES + 2);
    assert(told == WORKERS)
}
