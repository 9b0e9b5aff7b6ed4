/* SPDX-License-Identifier: MIT
 *
 * list.pml - a completion list (umsshim/list.c, umsshim/completion_list.c), for spin: list.md.
 *
 * run     takes -DWORKERS=3 -DTAKES=1
 * run     deletes -DWORKERS=3 -DDELETES=1
 * run     two -DWORKERS=2 -DTAKES=1 -DDELETES=1
 * by hand all -DWORKERS=3 -DTAKES=1 -DDELETES=1
 * mutant  1 takes: the event is set only where the list was not empty
 * mutant  2 takes: what is put back sets no event
 * mutant  3 takes: what is put back overwrites what came meanwhile
 * mutant  4 deletes: the list's event is read after the push
 * mutant  5 takes: the push is no compare-exchange
 * mutant  6 takes: a dequeue reads, and then clears
 * mutant  7 two: the thread that takes a worker off its list does not ask whether the list is used
 * mutant  8 deletes: the event is set whichever life it is in
 * mutant  9 takes: who takes the event's signal has no fence before the look at the list
 */
#define LISTS 2
#define NONE 255

byte mutant;

/* Words: the events' signals. A consumer takes its own list's by a plain store, and gives the event's lock back by one. */
#define WORDS LISTS
#define PROCESSORS LISTS
#define BUFFERED 1
#include "store_buffer.inc"
#define event memory

byte head[LISTS] = NONE;
byte refs[LISTS];
bool live[LISTS], freed[LISTS];
byte life[LISTS];         /* of the event's memory */
byte next[3] = NONE;
byte list_of[3];          /* where it arrives; the worker has a reference, unless NONE */
bool queued[3], held[3]; /* QUEUED; in somebody's hands */
byte arrived;                   /* how many have come to the application for good */
byte left_over;                 /* workers that a deleted list keeps */

inline use(li) { assert(!freed[li] && refs[li] > 0) }

/* ums__list_drop: what is on it stays QUEUED, with nobody; the sweep frees it at once. */
inline drop(li) {
    atomic {
        use(li);
        refs[li]--;
        if
        :: refs[li] == 0 ->
            do
            :: head[li] != NONE -> queued[head[li]] = 0; head[li] = next[head[li]]; left_over++
            :: else -> break
            od;
            freed[li] = 1;
            life[li]++; /* from now on the event is another list's */
            event[li] = 0
        :: else
        fi
    }
}

/* With the event's lock, which is not to be had before its last owner's stores are seen. */
inline set_event(li, meant) {
    if
    :: atomic {
           sets && drained(li) ->
           sets = 0;
           if
           :: meant == life[li] || mutant == 8 -> assert(!freed[li]); event[li] = 1
           :: else
           fi
       }
    :: atomic { !sets -> skip }
    fi
}

/* ums__list_push. `e` is the event, whose memory stays an event's, and `its` the life that is meant. */
inline push(who, at) {
    atomic { use(at); queued[who] = 1; e = at; its = life[at]; old = head[at]; next[who] = old };
    do
    :: atomic {
           use(at);
           if
           :: head[at] == old || mutant == 5 -> head[at] = who; break
           :: else -> old = head[at]; next[who] = old
           fi
       }
    od;
    atomic {
        if
        :: mutant == 4 -> use(at)
        :: else
        fi;
        if
        :: ((mutant != 1 && old == NONE) || (mutant == 1 && old != NONE)) && !event[e] -> sets = 1
        :: else
        fi
    };
    set_event(e, its)
}

/* A worker blocks, completes, and arrives. It holds a reference to its list until somebody who got it drops that. */
proctype worker(byte w) {
    byte old, e, its, l;
    bool sets;
    atomic {
        l = list_of[w];
        if
        :: live[l]
        :: else -> /* arrival_elsewhere: its first list, which is there */
            use(1 - l);
            refs[1 - l]++;
            drop(l);
            l = 1 - l;
            list_of[w] = l
        fi
    };
    push(w, l)
}

/* Who has a worker executes it on a scheduler with another list: so it drops its own, at the earliest here. */
inline release(who) {
    assert(queued[who] && !held[who]);
    queued[who] = 0;
    held[who] = 1;
    arrived++;
    drop(list_of[who])
}

/* Dequeues until all are there. */
proctype consumer(byte l) {
    byte chain = NONE, w;
    do
    :: atomic { arrived + left_over == WORKERS -> break }
    :: atomic {
           else -> use(l);
           chain = head[l];
           if
           :: mutant != 6 -> head[l] = NONE
           :: else
           fi;
           if
           :: chain == NONE -> refs[l]++; goto sleep
           :: else
           fi
       };
got:
       if
       :: mutant == 6 -> head[l] = NONE
       :: else
       fi;
       do
       :: atomic { chain == NONE -> break }
       :: atomic { else -> w = chain; chain = next[w]; release(w) }
       od
    od;
    goto off;
sleep:
    if
    :: atomic { drained(l) && event[l] -> store(l, l, 0) } /* with the event's lock */
    :: atomic { arrived + left_over == WORKERS }
    fi;
    if
    :: mutant != 9 -> (drained(l)) /* event_taken */
    :: else
    fi;
    atomic {
        use(l); /* who waits by the event's handle looks before it takes, with no locked instruction */
        if
        :: head[l] == NONE && arrived + left_over != WORKERS -> goto sleep
        :: else
        fi
    };
    atomic {
        drained(l) ->
        chain = head[l];
        if
        :: mutant != 6 -> head[l] = NONE
        :: else
        fi;
        if
        :: chain == NONE && arrived + left_over != WORKERS -> goto sleep
        :: else
        fi;
        drop(l);
        goto got
    };
off:
    drop(l) /* the scheduler's */
}

/* ums__list_take, on the way of ExecuteUmsThread or TerminateThread: reads the list's address in a context that is not
 * its own. */
proctype taker(byte x) {
    byte chain = NONE, last, link, l, old, its;
    bool found, sets;
    atomic {
        if
        :: queued[x] -> l = list_of[x]
        :: else -> goto off
        fi
    };
    atomic { /* hold_if_used: the list may be gone by now */
        if
        :: refs[l] > 0 -> refs[l]++
        :: refs[l] == 0 && mutant == 7 -> use(l)
        :: else -> goto off
        fi
    };
    atomic { chain = head[l]; head[l] = NONE };
    atomic { /* of its own now */
        if
        :: chain == x -> chain = next[x]; found = 1
        :: else ->
            link = chain;
            do
            :: link != NONE && next[link] == x -> next[link] = next[x]; found = 1; break
            :: link != NONE && next[link] != x -> link = next[link]
            :: else -> break
            od
        fi;
        last = chain;
        do
        :: last != NONE && next[last] != NONE -> last = next[last]
        :: else -> break
        od;
        old = head[l];
        if
        :: last != NONE -> next[last] = old
        :: else
        fi
    };
    do
    :: atomic { chain == NONE -> break }
    :: atomic {
           else -> use(l);
           if
           :: head[l] == old || mutant == 3 -> head[l] = chain; goto put_back
           :: else -> old = head[l]; next[last] = old
           fi
       }
    od;
    goto done;
put_back:
    atomic {
        if
        :: old == NONE && mutant != 2 && !event[l] -> sets = 1
        :: else
        fi;
        its = life[l]
    };
    set_event(l, its);
done:
    atomic {
        if
        :: found -> release(x)
        :: else
        fi;
        drop(l)
    };
off:
    skip
}

/* DeleteUmsCompletionList. */
proctype deleter(byte l) {
    atomic { live[l] = 0; skip };
    drop(l)
}

init {
    atomic {
        c_code { now.mutant = getenv("MUTANT") ? atoi(getenv("MUTANT")) : 0; };
        live[0] = 1; live[1] = 1;
        refs[0] = 1 + 1 + 2; refs[1] = 1 + 1 + 1; /* live, its scheduler, its workers */
        list_of[0] = 0; list_of[1] = 0; list_of[2] = 1;
        run processors();
        run worker(0); run worker(1);
#if WORKERS == 3
        run worker(2);
#else
        refs[1]--;
#endif
        run consumer(0); run consumer(1);
#ifdef TAKES
        run taker(0);
#endif
#ifdef DELETES
        run deleter(0);
#else
        refs[0]--;
#endif
        skip
    };
    (_nr_pr == 2);
    assert(arrived + left_over == WORKERS && refs[0] == 0 && refs[1] == 1)
}
