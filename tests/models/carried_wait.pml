/* SPDX-License-Identifier: MIT
 *
 * carried_wait.pml - a wait in user mode under Windows (platform/windows/waits/: user_wait.h, direct_waiters.c,
 * direct_signal.c, pool_wait.c, user_wait_cancel.c), for spin: carried_wait.md.
 *
 * run     hooked -DHOOKED=2 -DFOREIGN=0 -DAGES=0
 * run     foreign -DHOOKED=1 -DFOREIGN=1
 * run     cancelled -DHOOKED=1 -DFOREIGN=1 -DCANCELS=1
 * run     three -DWORKERS=3 -DHOOKED=2 -DFOREIGN=1
 * mutant  1 hooked: a worker that registers does not look at the word again
 * mutant  2 hooked: a signal that went to the system is not counted
 * mutant  3 hooked: who signals looks for direct waiters before it counts
 * mutant  4 foreign: direct waiters never go to the pool
 * mutant  5 cancelled: a callback for a wait that was over keeps its signal
 * mutant  6 cancelled: a wait that is withdrawn stays on its record
 * mutant  7 hooked: a signal is handed over, and the system gets it as well
 * mutant  8 hooked: a worker that registers is counted by a plain store
 */
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef AGES
#define AGES 1
#endif
#ifndef CANCELS
#define CANCELS 0
#endif

byte mutant;

mtype = { NONE, ENTERING, DIRECT, QUEUED, ARMED, WAIT_TAKEN };
mtype how[3] = NONE;     /* user_wait.h */
byte system;             /* a semaphore's count, which the system has */
byte word;               /* how many signals of ours went there: the record's */
byte seen[3];
/* Words: who is counted as one that waits directly. */
#define WORDS 3
#define PROCESSORS WORKERS
#define BUFFERED 1
#include "store_buffer.inc"
#define direct memory
#define any_direct (direct[0] || direct[1] || direct[2])
/* The record's lock: not to be had before its last owner's stores are seen. */
#if WORKERS == 3
#define record_free (drained(0) && drained(1) && drained(2))
#else
#define record_free (drained(0) && drained(1))
#endif

bool pool[3], call_back[3]; /* the pool waits; it has taken a signal, and its callback is on the way */
bool late[3];            /* it was told to stop, and has begun */
bool cancelled[3];       /* on the list of those that the service thread disarms */
bool due[3];             /* completed: its scheduler may run it */
bool with[3];            /* with a signal */
byte used, ended;
byte sent;

/* user_wait_take, with the lock that `how` is under; and user_wait_complete, without. */
inline take(who, signal) { assert(how[who] != WAIT_TAKEN && how[who] != NONE); how[who] = WAIT_TAKEN; with[who] = signal }
inline complete(who) { assert(how[who] == WAIT_TAKEN && !due[who]); due[who] = 1 }

proctype worker(byte me) {
    do
    :: atomic { seen[me] = word };
       atomic { /* the try with no time to wait */
           if
           :: system > 0 -> system--; used++; break
           :: else -> how[me] = ENTERING
           fi
       };
       atomic { how[me] = DIRECT; store(me, me, 1) }; /* direct_add, with the record's lock, in which nobody takes it */
       atomic {
           drained(me) || (mutant == 8 && word == seen[me]) ->
           if
           :: how[me] == DIRECT && word != seen[me] && mutant != 1 -> how[me] = NONE; direct[me] = 0; goto again
           :: else
           fi
       };
       atomic { due[me] -> due[me] = 0; how[me] = NONE; used = used + with[me]; break };
again:
       skip
    od;
    ended++
}

inline first_direct(who) {
    if
    :: how[0] == DIRECT -> who = 0
    :: how[0] != DIRECT && how[1] == DIRECT -> who = 1
    :: how[0] != DIRECT && how[1] != DIRECT && how[2] == DIRECT -> who = 2
    :: else -> who = 3
    fi
}

/* SetEvent, ReleaseSemaphore: on_release_semaphore. */
proctype signaller(byte times) {
    byte who;
    bool some;
    do
    :: times == 0 -> break
    :: else ->
        atomic { /* hand_over */
            record_free -> times--;
            sent++;
            first_direct(who);
            if
            :: who < 3 -> take(who, 1); direct[who] = 0
            :: else
            fi
        };
        if
        :: atomic { who < 3 -> complete(who) };
           if
           :: mutant == 7 -> system++
           :: else
           fi
        :: atomic { who == 3 -> system++; some = any_direct };
           if
           :: mutant != 2 -> word++
           :: else
           fi;
           atomic {
               if
               :: mutant != 3 -> some = any_direct
               :: else
               fi
           };
           if
           :: some ->
               do
               :: atomic { /* direct_settle, one at a time */
                      record_free -> first_direct(who);
                      if
                      :: who < 3 && system > 0 -> system--; take(who, 1); direct[who] = 0
                      :: else -> break
                      fi
                  };
                  atomic { complete(who) }
               od
           :: else
           fi
        fi;
        atomic { who = 0; some = 0 }
    od
}

/* Another process: the system alone knows of it. */
proctype stranger(byte times) {
    do
    :: times == 0 -> break
    :: else -> atomic { system++; times--; sent++ }
    od
}

/* The service thread, for one worker: those that ticks have passed over go to the pool, which is armed; those that are
 * cancelled are disarmed. */
proctype service(byte w) {
    bool mine;
    do
    :: atomic { ended == WORKERS -> break }
    :: atomic { record_free && how[w] == DIRECT && AGES && mutant != 4 -> how[w] = QUEUED; direct[w] = 0 }
    :: atomic { how[w] == QUEUED -> how[w] = ARMED }; atomic { pool[w] = 1 }
    :: atomic { cancelled[w] -> late[w] = pool[w]; pool[w] = 0 };
       atomic { /* WaitForThreadpoolWaitCallbacks; the handle is closed a while later */
           !call_back[w] || late[w] -> cancelled[w] = 0;
           if
           :: how[w] == ARMED -> take(w, 0); mine = 1
           :: else
           fi
       };
       atomic {
           if
           :: mine -> mine = 0; complete(w)
           :: else
           fi
       }
    od
}

proctype pool_thread(byte w) {
    bool mine;
    do
    :: atomic { ended == WORKERS -> break }
    :: atomic { pool[w] && system > 0 -> system--; pool[w] = 0; call_back[w] = 1 }
    :: atomic { late[w] && system > 0 -> system--; late[w] = 0; call_back[w] = 1 }
    :: atomic { /* satisfied */
           call_back[w] ->
           call_back[w] = 0;
           if
           :: how[w] == ARMED -> take(w, 1); mine = 1
           :: how[w] != ARMED && mutant != 5 -> system++ /* give_back */
           :: else
           fi
       };
       atomic {
           if
           :: mine -> mine = 0; complete(w)
           :: else
           fi
       }
    od
}

/* TerminateThread on the first: asked for again until it is over. */
proctype canceller() {
    bool mine;
    do
    :: atomic { how[0] == NONE && ended > 0 -> break }
    :: atomic { how[0] == WAIT_TAKEN -> break }
    :: atomic {
           record_free && how[0] == DIRECT -> take(0, 0); mine = 1;
           if
           :: mutant != 6 -> direct[0] = 0
           :: else
           fi;
           break
       }
    :: atomic { how[0] == QUEUED -> take(0, 0); mine = 1; break }
    :: atomic { how[0] == ARMED && !cancelled[0] -> cancelled[0] = 1; break }
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
        run processors(); run worker(0); run worker(1);
        run service(0); run service(1); run pool_thread(0); run pool_thread(1);
#if WORKERS == 3
        run worker(2); run service(2); run pool_thread(2);
#endif
        run signaller(HOOKED); run stranger(FOREIGN);
#if CANCELS
        run canceller()
#endif
    };
    (_nr_pr == 2);
    assert(used + system + call_back[0] + call_back[1] + call_back[2] == sent && !any_direct)
}
