/* SPDX-License-Identifier: MIT
 *
 * dispatcher.pml - the protocol of platform/linux/dispatch/waiters.h, for spin: docs/dispatcher.md.
 *
 * by hand without_any -DWITHOUT=0
 * by hand without_one -DWITHOUT=1
 * by hand without_all -DWITHOUT=2
 * by hand alone -DWITHOUT=3
 *
 * One of the three workers is left out at a time, and then all but the first, which waits twice: two at once
 * meet in every way, and three are more states than a small machine remembers. Where ONE is left out, so is the thread
 * that ends the first worker's wait: it has to do with that worker only, and meets it in two other parts.
 *
 * Two semaphores; three workers, of which one waits for any of both, from seats or in line, one for the
 * first alone, one for both together; two threads that signal, one that ends the first worker's wait, and the timer of the third's.
 * In every interleaving: a wait is decided once; a worker is queued only when it was left, and once; nobody
 * touches a wait whose worker has gone on; no signal is lost or used twice; nothing stands still for ever.
 */
#define ANY 0
#define ONE 1
#define ALL 2
#define CLAIMED 1
#define OPEN 2
#define PARKED 4

/* As many signals as let everybody go whoever gets which. */
#define ALONE 3
#define FIRST 2
#define SECOND 1
#if WITHOUT == ALONE
#define ENDS 4
#else
#define ENDS 5
#endif
#if WITHOUT == ALONE
#define ROUNDS 2
#else
#define ROUNDS 1
#endif

bit lk[2], all_lock;        /* the objects' locks and the all-lock */
byte sig[2], alls[2];       /* under the object's lock */
bool on[6];                 /* wait * 2 + object: a block is on the list; under the object's lock */
byte state = CLAIMED;       /* of ANY's sitter: bits, */
byte number;                /* and the set that it waits for */
byte seat[2];               /* ANY's, of this number; 0: none; under the object's lock */
byte round;                 /* of ANY, to see that nobody is late */
byte decided[3];
bool here[3], left[3], queued[3]; /* the wait exists; its worker was left; and may go on */
bool timed_out, timer_done; /* of ALL */
byte taken[2];              /* signals used, by object */
byte ended;

inline lock(l) { atomic { !l -> l = 1 } }
inline unlock(l) { l = 0 }
inline queue(w) { atomic { assert(here[w] && left[w] && !queued[w]); queued[w] = 1 } }
inline take(o) { atomic { assert(sig[o] > 0); sig[o]--; taken[o]++ } }
inline claim(mine, set) {
    atomic {
        mine = !(state & CLAIMED) && number == set;
        if
        :: mine ->
            assert(here[ANY]);
            was = state;
            state = state | CLAIMED;
            decided[ANY]++;
            in_round = round
        :: else
        fi
    }
}

/* Who has claimed it lets the worker go; what may be gone is not touched after. */
inline open_any() {
    assert(here[ANY] && round == in_round);
    if
    :: was & PARKED -> queue(ANY)
    :: else ->
        atomic { was = state; state = state | OPEN };
        if
        :: was & PARKED -> queue(ANY)
        :: else
        fi
    fi
}

proctype signaller(byte o; byte times) {
    bool all, mine, let[3];
    byte was, in_round, of_set;
    do
    :: times == 0 -> break
    :: else ->
        times--;
        lock(lk[o]);
        all = 0;
        if
        :: alls[o] -> unlock(lk[o]); lock(all_lock); lock(lk[o]); all = 1
        :: else
        fi;
        sig[o]++;
        if
        :: sig[o] && (seat[o] || on[ANY * 2 + o]) ->
            if
            :: on[ANY * 2 + o] -> of_set = number
            :: else -> of_set = seat[o]
            fi;
            claim(mine, of_set);
            if
            :: mine -> take(o); let[ANY] = 1
            :: else
            fi
        :: else
        fi;
        if
        :: sig[o] && on[ALL * 2 + o] ->
            assert(all && here[ALL]);
            lock(lk[1 - o]);
            if
            :: sig[1 - o] ->
                take(0); take(1);
                on[ALL * 2] = 0; on[ALL * 2 + 1] = 0; alls[0]--; alls[1]--;
                decided[ALL]++; let[ALL] = 1
            :: else
            fi;
            unlock(lk[1 - o])
        :: else
        fi;
        if
        :: sig[o] && on[ONE * 2 + o] -> take(o); on[ONE * 2 + o] = 0; decided[ONE]++; let[ONE] = 1
        :: else
        fi;
        unlock(lk[o]);
        if
        :: all -> unlock(all_lock)
        :: else
        fi;
        if
        :: let[ANY] -> let[ANY] = 0; open_any()
        :: else
        fi;
        if
        :: let[ONE] -> let[ONE] = 0; queue(ONE)
        :: else
        fi;
        if
        :: let[ALL] -> let[ALL] = 0; queue(ALL)
        :: else
        fi
    od;
    ended++
}

proctype any() {
    byte o, old, was, in_round;
    bool mine;
again:
    here[ANY] = 1;
    o = 0;
    if
    :: number && seat[0] == number && seat[1] == number ->
        state = 0; /* armed for the same set; then it looks, without a lock */
        do
        :: o == 2 -> break
        :: else ->
            mine = 0;
            if
            :: sig[o] ->
                lock(lk[o]);
                if
                :: sig[o] ->
                    claim(mine, number);
                    if
                    :: mine -> take(o)
                    :: else
                    fi
                :: else
                fi;
                unlock(lk[o])
            :: else
            fi;
            if
            :: mine -> goto off
            :: else
            fi;
            o++
        od
    :: else ->
        atomic { number++; state = 0 };
        do
        :: o == 2 -> break
        :: else ->
            lock(lk[o]);
            mine = 0;
            if
            :: sig[o] ->
                claim(mine, number);
                if
                :: mine -> take(o)
                :: else
                fi
            :: else
            fi;
            if
            :: mine -> unlock(lk[o]); goto off
            :: else ->
                if
                :: seat[o] = number
                :: on[ANY * 2 + o] = 1 /* where the seat is another's */
                fi;
                unlock(lk[o])
            fi;
            o++;
            if
            :: state & CLAIMED -> break
            :: else
            fi
        od
    fi;
    left[ANY] = 1; /* from here on the scheduler's */
    atomic { old = state; state = state | PARKED };
    if
    :: old & OPEN
    :: else -> queued[ANY]
    fi;
off:
    o = 0;
    do
    :: o == 2 -> break
    :: else ->
        if
        :: on[ANY * 2 + o] -> lock(lk[o]); on[ANY * 2 + o] = 0; unlock(lk[o])
        :: else
        fi;
        o++
    od;
    atomic {
        assert(decided[ANY] == 1);
        here[ANY] = 0; left[ANY] = 0; queued[ANY] = 0; decided[ANY] = 0;
        round++
    };
    if
    :: round < ROUNDS -> goto again
    :: else
    fi;
    ended++
}

/* Has the sitter's word, and asks for nothing else. */
proctype canceller() {
    bool mine;
    byte was, in_round;
    claim(mine, number);
    if
    :: mine -> open_any()
    :: else
    fi;
    ended++
}

proctype one() {
    here[ONE] = 1;
    lock(lk[0]);
    if
    :: sig[0] -> take(0); decided[ONE]++; unlock(lk[0])
    :: else -> on[ONE * 2] = 1; left[ONE] = 1; unlock(lk[0]); queued[ONE]
    fi;
    atomic { assert(decided[ONE] == 1); here[ONE] = 0 };
    ended++
}

proctype timer() {
    lock(all_lock);
    assert(here[ALL]);
    if
    :: !decided[ALL] ->
        decided[ALL]++;
        lock(lk[0]); on[ALL * 2] = 0; alls[0]--; unlock(lk[0]);
        lock(lk[1]); on[ALL * 2 + 1] = 0; alls[1]--; unlock(lk[1]);
        timed_out = 1;
        unlock(all_lock);
        queue(ALL)
    :: else -> unlock(all_lock); atomic { assert(here[ALL]); timer_done = 1 }
    fi;
    ended++
}

proctype all() {
    here[ALL] = 1;
    lock(all_lock);
    lock(lk[0]); lock(lk[1]);
    if
    :: sig[0] && sig[1] ->
        take(0); take(1); decided[ALL]++;
        unlock(lk[1]); unlock(lk[0]); unlock(all_lock);
        ended++ /* there was no timer */
    :: else ->
        on[ALL * 2] = 1; on[ALL * 2 + 1] = 1; alls[0]++; alls[1]++;
        unlock(lk[1]); unlock(lk[0]);
        run timer();
        left[ALL] = 1;
        unlock(all_lock); /* the scheduler does */
        queued[ALL];
        if
        :: timed_out
        :: else -> timer_done
        fi
    fi;
    atomic { assert(decided[ALL] == 1); here[ALL] = 0 };
    ended++
}

init {
    atomic {
#if WITHOUT != ANY
        run any();
#endif
#if WITHOUT != ANY && WITHOUT != ONE
        run canceller();
#endif
#if WITHOUT != ONE && WITHOUT != ALONE
        run one();
#endif
#if WITHOUT != ALL && WITHOUT != ALONE
        run all();
#endif
        run signaller(0, FIRST); run signaller(1, SECOND)
    };
    ended == ENDS;
    assert(sig[0] + taken[0] == FIRST && sig[1] + taken[1] == SECOND);
    assert(!on[0] && !on[1] && !on[2] && !on[3] && !on[4] && !on[5] && !alls[0] && !alls[1])
}
