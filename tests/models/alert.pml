/* SPDX-License-Identifier: MIT
 *
 * alert.pml - a worker's alert under Windows, a word in its context (platform/windows/waits/alert.h, alert.c;
 * wait_service.c, user_wait_cancel.c), for spin: alert.md.
 *
 * run     sent -DSENDERS=3
 * run     timed -DSENDERS=2 -DTIMED=1
 * run     cancelled -DSENDERS=2 -DTIMED=1 -DCANCELS=1
 * run     all -DSENDERS=3 -DTIMED=1 -DCANCELS=1
 * mutant  1 sent: an alert that nobody waits for yet is forgotten
 * mutant  2 sent: a worker that leaves does not look whether it was alerted
 * mutant  3 sent: who alerts does not wake the thread that waits inside the engine
 * mutant  4 timed: a time-out does not ask the word
 * mutant  5 cancelled: a cancellation does not ask the word
 * mutant  6 timed: an alerted wait leaves its deadline behind
 * mutant  7 sent: a wait inside the engine does not look whether it was alerted
 * mutant  8 sent: the word is set before the stack was left
 */
#ifndef TIMED
#define TIMED 0
#endif
#ifndef CANCELS
#define CANCELS 0
#endif

byte mutant;

mtype = { NONE, PENDING, USER, KERNEL, REAL };
mtype alert = REAL;
bool real;            /* the kernel's alert of the thread that carries the worker */
byte news;            /* what the program waits for: each sender adds one, and alerts after */
bool left, due;       /* the stack was left; completed, and so to be run */
bool waits;           /* a wait in user mode that nobody has completed yet */
bool has_deadline, on_agenda; /* of that wait; it is on the service thread's agenda: under wait_lock */
bool how_alert;       /* WAIT_ALERT; under wait_lock where the wait has a deadline */
bool lock_taken;      /* wait_lock */
bool ends, gone;

inline lock() { atomic { !lock_taken -> lock_taken = 1 } }
inline unlock() { lock_taken = 0 }

/* Once for each wait, of a worker whose stack was left. */
inline complete() {
    atomic { assert(waits && left && !due); waits = 0; how_alert = 0; due = 1 }
}

/* The program's loop: it looks, and waits for an alert, until it has seen all the news. */
proctype worker() {
    bool timed, again, kernel_ended;
    alert = NONE; /* alert_begin */
    do
    :: atomic { news == SENDERS || ends -> break }
    :: atomic { news < SENDERS && !ends -> again = 0; timed = 0 };
       if
       :: atomic { alert == PENDING -> alert = NONE }
       :: atomic { alert != PENDING -> again = 1 } /* inside the engine its scheduler is not told */
       :: atomic {
              alert != PENDING ->
              if
              :: TIMED -> timed = 1
              :: timed = 0
              fi;
              has_deadline = timed; waits = 1; how_alert = 1;
              if
              :: mutant == 8 -> alert = USER
              :: else
              fi
          };
          left = 1; /* from here on the scheduler: left_for_alert */
          if
          :: timed -> lock(); on_agenda = 1
          :: else
          fi;
          atomic {
              if
              :: mutant == 8
              :: mutant != 8 && (alert == NONE || mutant == 2) -> alert = USER
              :: else -> on_agenda = 0; waits = 0; how_alert = 0; again = 1
              fi
          };
          if
          :: timed -> unlock()
          :: else
          fi;
          if
          :: again -> left = 0
          :: else -> atomic { due -> due = 0; left = 0 }
          fi
       fi;
       if
       :: again ->
           do /* wait_uninterrupted, on the thread that carries it */
           :: atomic { alert == PENDING -> alert = NONE; break }
           :: atomic { alert == NONE || mutant == 7 -> alert = KERNEL };
              if
              :: atomic { real -> real = 0 }
              :: TIMED -> skip /* its time is over */
              fi;
              atomic {
                  if
                  :: alert == KERNEL -> alert = NONE; kernel_ended = 1
                  :: else
                  fi
              };
              if
              :: atomic { kernel_ended -> kernel_ended = 0; break }
              :: atomic { !kernel_ended -> skip }
              fi
           od
       :: else
       fi
    od;
    alert = REAL; /* alert_end: what comes from here on is for the thread */
    gone = 1
}

/* NtAlertThreadByThreadId, by another worker or a thread. */
proctype sender() {
    mtype was;
    news++;
    atomic {
        was = alert;
        if
        :: was == USER -> alert = NONE
        :: was == NONE || was == KERNEL || was == PENDING ->
            if
            :: mutant == 1 && was == NONE
            :: else -> alert = PENDING
            fi
        :: else -> real = 1
        fi
    };
    if
    :: was == USER -> /* let_go */
        if
        :: has_deadline && mutant != 6 -> lock(); on_agenda = 0; unlock()
        :: else
        fi;
        complete()
    :: was == KERNEL && mutant != 3 -> real = 1 /* alert_raw_wake */
    :: else
    fi
}

/* Deadlines that have come. */
proctype service() {
    bool mine;
    do
    :: atomic { gone -> break }
    :: atomic { on_agenda && !lock_taken -> lock_taken = 1 };
       atomic {
           if
           :: on_agenda && (alert == USER || mutant == 4) -> /* alert_withdraw */
               alert = NONE; on_agenda = 0; mine = 1;
               assert(has_deadline)
           :: else
           fi
       };
       unlock();
       if
       :: mine -> mine = 0; complete()
       :: else
       fi
    od;
    assert(!on_agenda)
}

/* TerminateThread: asked for again until the worker has seen it. */
proctype canceller() {
    bool mine;
    ends = 1;
    do
    :: atomic { gone -> break }
    :: atomic { how_alert && !lock_taken -> lock_taken = 1 };
       atomic {
           if
           :: how_alert && (alert == USER || mutant == 5) -> alert = NONE; on_agenda = 0; mine = 1
           :: else
           fi
       };
       unlock();
       if
       :: mine -> complete(); break
       :: else
       fi
    od
}

init {
    byte i;
    atomic {
        c_code { now.mutant = getenv("MUTANT") ? atoi(getenv("MUTANT")) : 0; };
        run worker(); run service();
        for (i : 1 .. SENDERS) { run sender() };
#if CANCELS
        run canceller()
#endif
    };
    (_nr_pr == 1);
    assert(!waits && !due && !on_agenda)
}
