/* SPDX-License-Identifier: MIT
 *
 * filter.c - a sandbox's refusals, and the calls that it watches, as a BPF program.
 */
#include "sandbox.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST = 512 };

struct program {
    struct sock_filter code[MOST];
    unsigned short length;
};

static void emit(struct program *p, unsigned short code, unsigned char yes, unsigned char no,
                 uint32_t k)
{
    if (p->length == MOST) {
        fprintf(stderr, "sandbox: the filter has no room\n");
        exit(BAD_ARGUMENTS);
    }
    p->code[p->length++] = (struct sock_filter){code, yes, no, k};
}

static void load(struct program *p, size_t offset)
{
    emit(p, BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)offset);
}

static void answer(struct program *p, uint32_t action)
{
    emit(p, BPF_RET | BPF_K, 0, 0, action);
}

/* Skipped unless the number matches. Where an argument decides and says no, the next one for the same call
 * is looked at, so the number is loaded again. */
static void emit_refusal(struct program *p, const struct refusal *refusal)
{
    unsigned short compare = p->length;

    emit(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, (uint32_t)refusal->call);
    if (refusal->when != ALWAYS) {
        load(p, offsetof(struct seccomp_data, args) + refusal->argument * 8);
        if (refusal->when == ANY_BIT) {
            emit(p, BPF_JMP | BPF_JSET | BPF_K, 1, 0, refusal->mask);
        } else {
            emit(p, BPF_ALU | BPF_AND | BPF_K, 0, 0, refusal->mask);
            emit(p, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, refusal->value);
        }
        emit(p, BPF_JMP | BPF_JA, 0, 0, 1);
    }
    answer(p, SECCOMP_RET_ERRNO | (uint32_t)refusal->error);
    if (refusal->when != ALWAYS)
        load(p, offsetof(struct seccomp_data, nr));
    p->code[compare].jf = (unsigned char)(p->length - compare - 1);
}

static void build(struct program *p, const struct sandbox *sandbox)
{
    p->length = 0;
    load(p, offsetof(struct seccomp_data, arch));
    emit(p, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, AUDIT_ARCH_X86_64);
    answer(p, SECCOMP_RET_ALLOW);
    load(p, offsetof(struct seccomp_data, nr));
    for (const struct refusal *r = sandbox->refusals; r && r->error; r++)
        emit_refusal(p, r);
    for (const int *call = sandbox->watched; call && *call; call++) {
        emit(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, (uint32_t)*call);
        answer(p, SECCOMP_RET_USER_NOTIF);
    }
    if (sandbox->unknown_from) {
        emit(p, BPF_JMP | BPF_JGE | BPF_K, 0, 1, (uint32_t)sandbox->unknown_from);
        answer(p, SECCOMP_RET_ERRNO | ENOSYS);
    }
    answer(p, SECCOMP_RET_ALLOW);
}

int filter_around(const struct sandbox *sandbox)
{
    static struct program program;
    struct sock_fprog fprog = {.filter = program.code};
    unsigned long flags = sandbox->watched ? SECCOMP_FILTER_FLAG_NEW_LISTENER : 0;
    long r;

    if (!sandbox->refusals && !sandbox->watched && !sandbox->unknown_from)
        return -1;
    build(&program, sandbox);
    fprog.len = program.length;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        cannot("no_new_privs");
    r = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &fprog);
    if (r < 0)
        cannot(flags ? "a seccomp listener" : "a seccomp filter");
    return sandbox->watched ? (int)r : -1;
}
