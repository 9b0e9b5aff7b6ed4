/* SPDX-License-Identifier: MIT
 *
 * glib.c - each of the crew runs a main loop of its own. Two of them, 2n and 2n + 1, hand a message to
 * each other's loop in turn, which wakes that loop through its eventfd.
 */
#include "crew.h"

#include <glib.h>

struct side {
    GMainContext *context;
    GMainLoop *loop;
    struct side *other;
    unsigned got;
};

static struct side sides[CREW];
static gsize made; /* the sides are */

static void make_sides(void)
{
    if (!g_once_init_enter(&made))
        return;
    for (unsigned i = 0; i < CREW; i++) {
        sides[i].context = g_main_context_new();
        sides[i].loop = g_main_loop_new(sides[i].context, FALSE);
        sides[i].other = &sides[i ^ 1];
    }
    g_once_init_leave(&made, 1);
}

/* In the loop of `side`. The side that has had all its messages ends its loop; the last message goes on. */
static gboolean take(gpointer data);

static void hand(struct side *side)
{
    GSource *message = g_idle_source_new();
    g_source_set_priority(message, G_PRIORITY_DEFAULT);
    g_source_set_callback(message, take, side, NULL);
    g_source_attach(message, side->context);
    g_source_unref(message);
}

static gboolean take(gpointer data)
{
    struct side *side = data;
    side->got++;
    if (side->other->got < real_rounds)
        hand(side->other);
    if (side->got == real_rounds)
        g_main_loop_quit(side->loop);
    return G_SOURCE_REMOVE;
}

void real_work(unsigned index)
{
    make_sides();
    struct side *side = &sides[index];
    g_main_context_push_thread_default(side->context);
    if (index % 2)
        hand(side);
    g_main_loop_run(side->loop);
    g_main_context_pop_thread_default(side->context);
    if (side->got != real_rounds)
        real_fail("g_main_loop_run", "a loop ended with another number of messages");
}
