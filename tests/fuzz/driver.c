/* SPDX-License-Identifier: MIT
 *
 * driver.c - "TARGET CHANGES SEED..." calls a fuzz target (fuzz.h) without libFuzzer: on nothing, on each seed, which
 * is a file or a folder of them, and on as many changed ones as CHANGES says. The changes are the same in each run.
 */
#include <dirent.h>
#include <signal.h>
#include <unistd.h>

#include "fuzz.h"

enum { MOST_SEEDS = 256, MOST_BYTES = 1 << 16, LIMIT_SECONDS = 500 };

static struct seed {
    uint8_t *bytes;
    size_t size;
} seeds[MOST_SEEDS];
static size_t seed_count;

static uint64_t state = 0x9e3779b97f4a7c15;
static size_t draw(size_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (size_t)(state % below);
}

/* ---- The input that is tried, for whoever finds out why it failed ---- */

static const uint8_t *now_bytes;
static size_t now_size;

static void tell_input(int number)
{
    static const char digits[] = "0123456789abcdef", head[] = "the input was, in hexadecimal:\n";
    ssize_t unused = write(STDERR_FILENO, head, sizeof head - 1);

    for (size_t i = 0; i < now_size; i++) {
        char pair[2] = {digits[now_bytes[i] >> 4], digits[now_bytes[i] & 15]};

        unused = write(STDERR_FILENO, pair, 2);
    }
    unused = write(STDERR_FILENO, "\n", 1);
    (void)unused;
    signal(number, SIG_DFL);
    raise(number);
}

/* In memory of its own, so that a sanitizer sees a byte too many. */
static void try_bytes(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);

    MUST(copy);
    memcpy(copy, bytes, size);
    now_bytes = copy;
    now_size = size;
    MUST(LLVMFuzzerTestOneInput(copy, size) == 0);
    free(copy);
}

/* ---- Seeds ---- */

static void read_seed(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct seed *seed = &seeds[seed_count];

    MUST(file && seed_count < MOST_SEEDS);
    MUST(seed->bytes = malloc(MOST_BYTES));
    seed->size = fread(seed->bytes, 1, MOST_BYTES, file);
    MUST(seed->size < MOST_BYTES && fclose(file) == 0);
    seed_count++;
}

static int by_name(const struct dirent **one, const struct dirent **other)
{
    return strcmp((*one)->d_name, (*other)->d_name);
}

static void read_seeds(const char *path)
{
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, by_name);
    char name[4096];

    if (count < 0) {
        read_seed(path);
        return;
    }
    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.')
            read_seed(name);
        free(entries[i]);
    }
    free(entries);
}

/* ---- Changes ---- */

static void change(uint8_t *bytes, size_t *size)
{
    static const uint8_t odd[] = {0, 1, 0x7f, 0x80, 0xff, '%', '\\', '"', '*', '.'};
    size_t at = *size ? draw(*size) : 0, length = *size ? 1 + draw(*size - at) : 0, to;

    switch (draw(6)) {
    case 0: /* a byte */
        if (*size)
            bytes[at] = (uint8_t)(draw(2) ? draw(256) : odd[draw(sizeof odd)]);
        break;
    case 1: /* a number at which sums overflow */
        to = 1 + draw(4);
        if (*size - at >= 4)
            memset(bytes + at, draw(2) ? 0xff : 0, to);
        break;
    case 2: /* one more */
        if (*size < MOST_BYTES - 1) {
            memmove(bytes + at + 1, bytes + at, *size - at);
            bytes[at] = odd[draw(sizeof odd)];
            ++*size;
        }
        break;
    case 3: /* some fewer */
        if (*size && draw(2)) {
            memmove(bytes + at, bytes + at + length, *size - at - length);
            *size -= length;
        }
        break;
    case 4: /* a piece of it at another place */
        to = *size ? draw(*size) : 0;
        memmove(bytes + to, bytes + at, length < *size - to ? length : *size - to);
        break;
    default: /* one bit */
        if (*size)
            bytes[at] ^= (uint8_t)(1u << draw(8));
    }
}

int main(int count, char **arguments)
{
    static uint8_t bytes[MOST_BYTES];
    long changes = count > 1 ? strtol(arguments[1], NULL, 10) : 0;

    alarm(LIMIT_SECONDS);
    signal(SIGABRT, tell_input);
    signal(SIGSEGV, tell_input);
    signal(SIGALRM, tell_input);
    for (int i = 2; i < count; i++)
        read_seeds(arguments[i]);
    MUST(changes > 0 && seed_count > 0);
    try_bytes(bytes, 0);
    for (size_t i = 0; i < seed_count; i++)
        try_bytes(seeds[i].bytes, seeds[i].size);
    for (long i = 0; i < changes; i++) {
        const struct seed *seed = &seeds[draw(seed_count)];
        size_t size = seed->size;

        memcpy(bytes, seed->bytes, size);
        for (size_t more = 1 + draw(4); more; more--)
            change(bytes, &size);
        try_bytes(bytes, size);
    }
    printf("%zu seeds, and %ld changed ones\n", seed_count, changes);
    MUST(!&fuzz_accepted || fuzz_accepted > 0);
    return 0;
}
