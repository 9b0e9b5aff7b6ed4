/* SPDX-License-Identifier: MIT
 *
 * taskpool - C++ on UMS: lambdas, exceptions, thread_local objects and locks in tasks that share
 * one scheduler thread.
 *
 * Output: what the tasks print, then a line for each check and the verdict. See README.md.
 */
#include "pool.h"

#include <mutex>
#include <numeric>
#include <stdio.h>
#include <string>
#include <vector>

enum { SUMMERS = 8, THROWERS = 4, SAVERS = 4, CHILDREN = 5 };

/* Made anew in each task that touches it, and destroyed at the task's end. */
struct Scratch {
    static volatile LONG made;
    static volatile LONG destroyed;

    std::vector<int> numbers;

    Scratch() { InterlockedIncrement(&made); }
    ~Scratch() { InterlockedIncrement(&destroyed); }
};
volatile LONG Scratch::made;
volatile LONG Scratch::destroyed;

static thread_local Scratch scratch;

/* Yields in the middle: others fill a vector of the same name meanwhile. */
static int Sum(int seed)
{
    for (int i = 1; i <= 100; i++) {
        scratch.numbers.push_back(seed * i);
        if (i % 10 == 0)
            UmsThreadYield(NULL);
    }
    printf("  task %d has summed %zu numbers\n", seed, scratch.numbers.size());
    return std::accumulate(scratch.numbers.begin(), scratch.numbers.end(), 0);
}

/* Everything about a throw that the run-time keeps for each thread is in use across yields: the
 * exception that is being handled, and the one thrown meanwhile. */
static int Throw(int seed)
{
    std::string caught;

    try {
        try {
            throw std::runtime_error("first " + std::to_string(seed));
        } catch (const std::runtime_error &) {
            UmsThreadYield(NULL);
            try {
                throw std::logic_error("second");
            } catch (const std::logic_error &second) {
                UmsThreadYield(NULL);
                caught = second.what();
            }
            throw; /* the first one, still */
        }
    } catch (const std::runtime_error &first) {
        caught += first.what();
    }
    if (caught != "secondfirst " + std::to_string(seed))
        return -1;
    if (seed % 2)
        throw std::out_of_range("task " + std::to_string(seed)); /* leaves through the future */
    return seed;
}

struct Account {
    CriticalSection section;
    int balance = 0;
};

/* Sleeps with the lock held: the others wait for it, and the scheduler for nobody. */
static int Save(Account &account)
{
    for (int i = 0; i < 5; i++) {
        std::lock_guard<CriticalSection> guard(account.section);
        int before = account.balance;

        Sleep(1);
        account.balance = before + 1;
    }
    return 5;
}

static bool Check(bool holds, const char *what)
{
    printf("  %s  %s\n", holds ? "holds" : "FAILS", what);
    return holds;
}

static bool Run(TaskPool &pool)
{
    Account account;
    std::vector<Future<int>> sums, throwers, savers;
    int right = 0, thrown = 0, saved = 0;
    bool good = true;

    for (int i = 0; i < SUMMERS; i++)
        sums.push_back(pool.Submit([i] { return Sum(i); }));
    for (int i = 0; i < THROWERS; i++)
        throwers.push_back(pool.Submit([i] { return Throw(i); }));
    for (int i = 0; i < SAVERS; i++)
        savers.push_back(pool.Submit([&account] { return Save(account); }));

    /* A task with tasks of its own, which it waits for on the same scheduler. */
    Future<std::string> parent = pool.Submit([&pool] {
        std::vector<Future<char>> children;
        std::string word;

        for (int i = 0; i < CHILDREN; i++)
            children.push_back(pool.Submit([i] {
                Sleep(5 - i);
                return "tasks"[i];
            }));
        for (Future<char> &child : children)
            word += child.Get();
        return word;
    });

    for (int i = 0; i < SUMMERS; i++)
        right += sums[i].Get() == i * 5050;
    for (int i = 0; i < THROWERS; i++) {
        try {
            right += throwers[i].Get() == i;
        } catch (const std::out_of_range &error) {
            thrown += error.what() == "task " + std::to_string(i);
        }
    }
    for (Future<int> &saver : savers)
        saved += saver.Get();

    good &= Check(right == SUMMERS + THROWERS / 2, "every result is its task's");
    good &= Check(thrown == THROWERS / 2, "exceptions come out of the futures");
    good &= Check(saved == SAVERS * 5 && account.balance == saved, "the lock excluded");
    good &= Check(parent.Get() == "tasks", "a task waited for tasks of its own");
    return good;
}

int main()
{
    bool good = false;

    try {
        LONG activations = 0;

        {
            auto pool = std::make_unique<TaskPool>();

            printf("%d tasks on one scheduler\n", SUMMERS + THROWERS + SAVERS + 1 + CHILDREN);
            good = Run(*pool);
            activations = pool->Activations();
        }
        /* The pool is gone, and every thread with it. */
        good &= Check(Scratch::made == SUMMERS && Scratch::destroyed == SUMMERS,
                      "thread_local objects lived as long as their tasks");
        good &= Check(activations > SUMMERS * 10, "the scheduler was entered for each yield");
    } catch (const std::exception &error) {
        printf("  %s\n", error.what());
        good = false;
    }
    printf("verdict: %s\n", good ? "OK" : "FAILED");
    return good ? 0 : 1;
}
