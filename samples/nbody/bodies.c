/* SPDX-License-Identifier: MIT
 *
 * bodies.c - the bodies: where they start, how they move, and the forces summed up directly.
 */
#include "nbody.h"

#include <math.h>
#include <stdint.h>

static const double softening = 1e-4; /* squared; keeps close encounters tame */
static const double step = 1e-3;

static double draw(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (double)((*state * 0x2545F4914F6CDD1Dull) >> 11) / 9007199254740992.0;
}

/* A ball, denser towards its middle: the tree is deep in places. */
void bodies_scatter(struct body *bodies, int count)
{
    uint64_t state = 20100901;

    for (int i = 0; i < count; i++) {
        double radius = pow(draw(&state), 0.8);
        double height = 2 * draw(&state) - 1;
        double angle = 2 * 3.14159265358979323846 * draw(&state);
        double around = sqrt(1 - height * height) * radius;

        bodies[i] = (struct body){
            .position = {around * cos(angle), around * sin(angle), radius * height},
            .speed = {-0.1 * around * sin(angle), 0.1 * around * cos(angle), 0},
            .mass = 1.0 / count,
        };
    }
}

void bodies_move(struct body *bodies, int count)
{
    for (int i = 0; i < count; i++) {
        struct body *body = &bodies[i];

        body->speed.x += body->force.x * step;
        body->speed.y += body->force.y * step;
        body->speed.z += body->force.z * step;
        body->position.x += body->speed.x * step;
        body->position.y += body->speed.y * step;
        body->position.z += body->speed.z * step;
    }
}

/* Bit for bit the same on every ground: a body's force is summed up in one order by one thread. */
double bodies_checksum(const struct body *bodies, int count)
{
    double sum = 0;

    for (int i = 0; i < count; i++)
        sum += bodies[i].position.x + 3 * bodies[i].position.y + 7 * bodies[i].position.z;
    return sum;
}

struct vector bodies_direct_force(const struct body *bodies, int count, int index)
{
    struct vector here = bodies[index].position;
    struct vector force = {0, 0, 0};

    for (int i = 0; i < count; i++) {
        double x = bodies[i].position.x - here.x;
        double y = bodies[i].position.y - here.y;
        double z = bodies[i].position.z - here.z;
        double square = x * x + y * y + z * z + softening;
        double pull = bodies[i].mass / (square * sqrt(square));

        force.x += pull * x;
        force.y += pull * y;
        force.z += pull * z;
    }
    return force;
}

/* Of the forces in the bodies, which must belong to their positions. */
double bodies_error(const struct body *bodies, int count)
{
    int stride = count > 256 ? count / 256 : 1;
    double wrong = 0;
    double all = 0;

    for (int i = 0; i < count; i += stride) {
        struct vector right = bodies_direct_force(bodies, count, i);
        double x = bodies[i].force.x - right.x;
        double y = bodies[i].force.y - right.y;
        double z = bodies[i].force.z - right.z;

        wrong += x * x + y * y + z * z;
        all += right.x * right.x + right.y * right.y + right.z * right.z;
    }
    return all > 0 ? sqrt(wrong / all) : 0;
}
