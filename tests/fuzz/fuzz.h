/* SPDX-License-Identifier: MIT
 *
 * fuzz.h - a fuzz target: one function of bytes that a stranger may hand in, which must come back
 * whatever they are.
 *
 * scripts/fuzz.sh builds the targets with libFuzzer and the sanitizers. Elsewhere driver.c calls
 * them: on each seed, and on a fixed number of changed ones.
 */
#ifndef UMSSHIM_TESTS_FUZZ_FUZZ_H
#define UMSSHIM_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* libFuzzer's name for it; 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* How many inputs were not refused at once, of a target that counts them. The driver wants some: with
 * seeds of another version such a target would try nothing. */
extern unsigned long fuzz_accepted __attribute__((weak));

/* Ends the program where the condition is false. It has to hold for all inputs. */
#define FUZZ_TEXT_(number) #number
#define FUZZ_TEXT(number) FUZZ_TEXT_(number)
#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fputs(__FILE__ ":" FUZZ_TEXT(__LINE__) ": wrong: " #condition "\n", stderr);           \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* The input, from its beginning on. It reads as zeros past its end. */
struct input {
    const uint8_t *at, *end;
};

static inline uint64_t take(struct input *input, size_t bytes)
{
    uint64_t value = 0;

    for (size_t i = 0; i < bytes && input->at < input->end; i++)
        value |= (uint64_t)*input->at++ << 8 * i;
    return value;
}

static inline size_t left(const struct input *input)
{
    return (size_t)(input->end - input->at);
}

/* The next bytes, as many as are there and at most `most`, with zeros of two bytes behind them, in
 * memory that ends there; the caller's to free. */
static inline char *take_text(struct input *input, size_t most)
{
    size_t bytes = left(input) < most ? left(input) : most;
    char *text = malloc(bytes + bytes % 2 + 2);

    MUST(text);
    memset(text + bytes, 0, bytes % 2 + 2);
    if (bytes)
        memcpy(text, input->at, bytes);
    input->at += bytes;
    return text;
}

#endif
