/* SPDX-License-Identifier: MIT
 *
 * shared_word.pml - a mutex that processes share, any of which is killed between any two steps
 * (platform/linux/dispatch/shared_word.h, proxy.h, async/shared_bell.c), for spin: shared_word.md.
 *
 * run     two -DN=2 -DKILLS=1 -DROUNDS=2
 * by hand three -DN=3 -DKILLS=2 -DROUNDS=1
 * mutant  1 two: the ring comes after the change
 * mutant  2 two: nobody watches the owner
 * mutant  3 two: a process that has died holds the word for ever
 * mutant  4 two: the bell looks without the word held
 * mutant  5 two: who finds the owner dead before it is watched does not look again
 */
byte mutant;

bool alive[N] = 1;
byte holder, owner;  /* the word: 0, or a process's number and 1 */
bool waiting[N];     /* in the page */
bool rung[N];        /* a process's bell */
bool locked[N];      /* its proxy's lock */
bool waits[N];       /* its thread is on the proxy's list */
bool has[N];         /* its thread owns the mutex */
bool watched[N * N]; /* i * N + j: i is told of j's end */
byte kills;

inline hold(i) {
    do
    :: atomic { holder == 0 -> holder = i + 1; break }
    :: atomic { mutant != 3 && holder != 0 && !alive[holder - 1] -> holder = 0 }
    od
}

#define FREE (owner == 0 || !alive[owner - 1])

/* With the word held, in one store. */
inline take(i) {
    atomic { owner = i + 1; holder = 0; has[i] = 1; waits[i] = 0;
             assert((!has[0] || !alive[0] || i == 0) && (!has[1] || !alive[1] || i == 1) &&
                    (!has[N - 1] || !alive[N - 1] || i == N - 1)) }
}

inline ring_all(i) {
    j = 0;
    do
    :: atomic { j < N -> if :: j != i && waiting[j] -> rung[j] = 1 :: else fi; j++ }
    :: atomic { j == N -> j = 0; break }
    od
}

proctype program(byte i) {
    byte j, round;
    {
        do
        :: round < ROUNDS ->
           atomic { !locked[i] -> locked[i] = 1 };
           hold(i);
           if
           :: atomic { FREE -> skip }; take(i); locked[i] = 0
           :: atomic { !FREE -> waits[i] = 1 };
              waiting[i] = 1;
              holder = 0;
              atomic { rung[i] = 1; locked[i] = 0 };
              has[i]
           fi;
           atomic { !locked[i] -> locked[i] = 1 };
           hold(i);
           if
           :: mutant == 1 -> atomic { has[i] = 0; owner = 0; holder = 0 }; ring_all(i)
           :: else -> ring_all(i); atomic { has[i] = 0; owner = 0; holder = 0 }
           fi;
           locked[i] = 0;
           round++
        :: round == ROUNDS -> break
        od
    } unless { !alive[i] }
}

proctype bell(byte i) {
    byte seen;
    {
end:
        do
        :: atomic { rung[i] -> rung[i] = 0 };
           atomic { !locked[i] -> locked[i] = 1 };
           if
           :: mutant == 4 && waits[i] && !FREE && holder != 0 && holder != i + 1
           :: else ->
              hold(i);
              if
              :: atomic { waits[i] && FREE -> skip }; take(i)
              :: atomic { waits[i] && !FREE -> waiting[i] = 1; holder = 0 }
              :: atomic { !waits[i] -> waiting[i] = 0; holder = 0 }
              fi
           fi;
           atomic { seen = (waits[i] && mutant != 2 -> owner : 0); locked[i] = 0 };
           if
           :: atomic { seen != 0 && seen != i + 1 && alive[seen - 1] -> watched[i * N + seen - 1] = 1 }
           :: atomic { seen != 0 && seen != i + 1 && !alive[seen - 1] -> rung[i] = mutant != 5 }
           :: atomic { seen == 0 || seen == i + 1 -> skip }
           fi;
           seen = 0
        /* hung up */
        :: atomic { watched[i * N] && !alive[0] -> watched[i * N] = 0; rung[i] = 1 }
        :: atomic { watched[i * N + 1] && !alive[1] -> watched[i * N + 1] = 0; rung[i] = 1 }
        :: atomic { watched[i * N + N - 1] && !alive[N - 1] -> watched[i * N + N - 1] = 0; rung[i] = 1 }
        od
    } unless { !alive[i] }
}

init {
    byte i;
    atomic {
        c_code { now.mutant = getenv("MUTANT") ? atoi(getenv("MUTANT")) : 0; };
        i = 0;
        do
        :: i < N -> run program(i); run bell(i); i++
        :: else -> break
        od
    };
end:
    do
    :: atomic { kills < KILLS -> kills = KILLS } /* no more: or a kill would hide who waits for ever */
    :: atomic { kills < KILLS && alive[1] -> alive[1] = 0; kills++ }
    :: atomic { kills < KILLS && alive[N - 1] -> alive[N - 1] = 0; kills++ }
    od
}
