/* SPDX-License-Identifier: MIT
 *
 * tree.c - the tree of cubes: each node knows the mass in its cube and where its centre is.
 *
 * Building sorts the bodies into the tree's order, so neighbours in space are neighbours in memory.
 * Nodes are laid out depth first, which makes the walk a loop: on to the next node to look into a
 * cube, to `skip` to leave it.
 */
#include "nbody.h"

#include <math.h>

enum { MAX_DEPTH = 40 };

static const double softening = 1e-4;

/* Cubes with more than a bucket have at least two children each but for chains of nearly equal
 * positions, which MAX_DEPTH ends. */
int tree_capacity(int bodies)
{
    return 4 * bodies + 2 * MAX_DEPTH;
}

static int octant(const struct vector *position, const struct vector *middle)
{
    return (position->x >= middle->x) + 2 * (position->y >= middle->y) +
           4 * (position->z >= middle->z);
}

static struct vector part_of(struct vector middle, double size, int which)
{
    double quarter = size / 4;

    middle.x += which & 1 ? quarter : -quarter;
    middle.y += which & 2 ? quarter : -quarter;
    middle.z += which & 4 ? quarter : -quarter;
    return middle;
}

static void weigh(struct node *node, const struct body *bodies)
{
    double mass = 0;
    struct vector sum = {0, 0, 0};

    for (int i = node->first; i < node->end; i++) {
        mass += bodies[i].mass;
        sum.x += bodies[i].mass * bodies[i].position.x;
        sum.y += bodies[i].mass * bodies[i].position.y;
        sum.z += bodies[i].mass * bodies[i].position.z;
    }
    node->mass = mass;
    node->centre = (struct vector){sum.x / mass, sum.y / mass, sum.z / mass};
}

/* Sorts bodies first..end by octant; where[k] is where octant k begins. */
static void sort(struct body *bodies, struct body *scratch, int first, int end,
                 const struct vector *middle, int where[9])
{
    int next[8] = {0};

    for (int i = first; i < end; i++)
        next[octant(&bodies[i].position, middle)]++;
    where[0] = first;
    for (int k = 0; k < 8; k++) {
        where[k + 1] = where[k] + next[k];
        next[k] = where[k];
    }
    for (int i = first; i < end; i++)
        scratch[next[octant(&bodies[i].position, middle)]++] = bodies[i];
    for (int i = first; i < end; i++)
        bodies[i] = scratch[i];
}

static void grow(struct tree *tree, struct body *bodies, struct body *scratch, int first, int end,
                 struct vector middle, double size, int depth)
{
    int index = tree->count++;
    struct node *node = &tree->nodes[index];
    int where[9];

    *node = (struct node){.first = first, .end = end, .size = size};
    weigh(node, bodies);
    /* No room for eight more: a leaf that is too full is slow, not wrong. */
    node->leaf = end - first <= NBODY_BUCKET || depth == MAX_DEPTH ||
                 tree->count + 8 * MAX_DEPTH > tree->capacity;
    if (!node->leaf) {
        sort(bodies, scratch, first, end, &middle, where);
        for (int k = 0; k < 8; k++) {
            if (where[k] < where[k + 1])
                grow(tree, bodies, scratch, where[k], where[k + 1], part_of(middle, size, k),
                     size / 2, depth + 1);
        }
    }
    node->skip = tree->count;
}

void tree_build(struct tree *tree, struct body *bodies, struct body *scratch, int count)
{
    double reach = 0;

    for (int i = 0; i < count; i++) {
        reach = fmax(reach, fabs(bodies[i].position.x));
        reach = fmax(reach, fabs(bodies[i].position.y));
        reach = fmax(reach, fabs(bodies[i].position.z));
    }
    tree->count = 0;
    grow(tree, bodies, scratch, 0, count, (struct vector){0, 0, 0}, 2 * reach + 1e-9, 0);
}

static inline void pull(struct vector *force, const struct vector *here, const struct vector *there,
                        double mass, double square)
{
    double strength;

    square += softening;
    strength = mass / (square * sqrt(square));
    force->x += strength * (there->x - here->x);
    force->y += strength * (there->y - here->y);
    force->z += strength * (there->z - here->z);
}

static inline double square_between(const struct vector *a, const struct vector *b)
{
    double x = a->x - b->x;
    double y = a->y - b->y;
    double z = a->z - b->z;

    return x * x + y * y + z * z;
}

static inline const struct body *body_at(const void *bodies, int i, enum nbody_storage storage)
{
    const char *page = (const char *)bodies + (size_t)(i / NBODY_PER_PAGE) * NBODY_PAGE_BYTES;

    if (storage == NBODY_IN_PAGES)
        return (const struct body *)page + i % NBODY_PER_PAGE;
    return (const struct body *)bodies + i;
}

static inline struct vector force_from(const struct tree *tree, const void *bodies, int index,
                                       double theta, enum nbody_storage storage)
{
    struct vector here, force = {0, 0, 0};
    int next = 0;

    if (storage == NBODY_IN_CACHE)
        cache_read(index / NBODY_PER_PAGE);
    here = body_at(bodies, index, storage)->position;
    while (next < tree->count) {
        const struct node *node = &tree->nodes[next];
        double square;

        square = square_between(&here, &node->centre);
        if (node->size * node->size < theta * theta * square) {
            pull(&force, &here, &node->centre, node->mass, square);
            next = node->skip;
        } else if (node->leaf) {
            for (int i = node->first; i < node->end; i++) {
                const struct body *body = body_at(bodies, i, storage);

                if (storage == NBODY_IN_CACHE && (i == node->first || i % NBODY_PER_PAGE == 0))
                    cache_read(i / NBODY_PER_PAGE);
                pull(&force, &here, &body->position, body->mass,
                     square_between(&here, &body->position));
            }
            next = node->skip;
        } else {
            next++;
        }
    }
    return force;
}

/* Each has a loop of its own. */
struct vector tree_force(const struct tree *tree, const void *bodies, int index, double theta,
                         enum nbody_storage storage)
{
    switch (storage) {
    case NBODY_IN_CACHE:
        return force_from(tree, bodies, index, theta, NBODY_IN_CACHE);
    case NBODY_IN_PAGES:
        return force_from(tree, bodies, index, theta, NBODY_IN_PAGES);
    default:
        return force_from(tree, bodies, index, theta, NBODY_IN_MEMORY);
    }
}
