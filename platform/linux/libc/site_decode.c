/* SPDX-License-Identifier: MIT
 *
 * site_decode.c - decodes, by Zydis, the instructions before a call site: which of them a jump may
 * replace.
 */
#include "platform/linux/os/decoder.h"

#include "platform/linux/libc/sites.h"

static const struct decoder *zydis;

bool site_decoder(void)
{
    zydis = decoder_open();
    return zydis != NULL;
}

static bool turns(ZydisInstructionCategory category)
{
    switch (category) {
    case ZYDIS_CATEGORY_CALL:
    case ZYDIS_CATEGORY_COND_BR:
    case ZYDIS_CATEGORY_INTERRUPT:
    case ZYDIS_CATEGORY_RET:
    case ZYDIS_CATEGORY_SYSCALL:
    case ZYDIS_CATEGORY_SYSRET:
    case ZYDIS_CATEGORY_SYSTEM:
    case ZYDIS_CATEGORY_UNCOND_BR:
        return true;
    default:
        return false;
    }
}

bool site_decode(const void *at, size_t bytes, struct site_instruction *instruction)
{
    ZydisDecoderContext context;
    ZydisDecodedInstruction found;
    if (!ZYAN_SUCCESS(zydis->one(&zydis->code, &context, at, bytes, &found)))
        return false;
    if (found.mnemonic == ZYDIS_MNEMONIC_INT3)
        return false; /* a debugger's: which instruction it hides, and what follows, is not known */
    bool relative = found.attributes & ZYDIS_ATTRIB_IS_RELATIVE;
    *instruction = (struct site_instruction){.length = found.length};
    if (turns(found.meta.category))
        instruction->flags |= SITE_TURNS;
    if (relative)
        instruction->flags |= SITE_RELATIVE;
    if (found.mnemonic == ZYDIS_MNEMONIC_SYSCALL)
        instruction->flags |= SITE_SYSCALL;
    if (found.mnemonic == ZYDIS_MNEMONIC_JMP || found.mnemonic == ZYDIS_MNEMONIC_RET)
        instruction->flags |= SITE_ENDS;
    if (found.mnemonic == ZYDIS_MNEMONIC_NOP)
        instruction->flags |= SITE_FILLS;
    if (found.raw.imm[0].is_relative) {
        instruction->flags |= SITE_JUMPS;
        instruction->target = (uintptr_t)at + found.length + (uintptr_t)found.raw.imm[0].value.s;
    }
    return true;
}

static bool is_register(const ZydisDecodedOperand *operand, ZydisRegister whole)
{
    return operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
           zydis->enclosing(ZYDIS_MACHINE_MODE_LONG_64, operand->reg.value) == whole;
}

bool site_decode_effect(const void *at, size_t bytes, struct site_effect *effect)
{
    ZydisDecodedInstruction found;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    if (!ZYAN_SUCCESS(zydis->full(&zydis->code, at, bytes, &found, operands)))
        return false;
    *effect = (struct site_effect){.rax = RAX_KEPT};
    for (unsigned i = 0; i < found.operand_count; i++) {
        if (!(operands[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
            continue;
        effect->stack |= is_register(&operands[i], ZYDIS_REGISTER_RSP);
        if (is_register(&operands[i], ZYDIS_REGISTER_RAX))
            effect->rax = RAX_OTHER;
    }
    if (effect->rax == RAX_KEPT)
        return true;
    const ZydisDecodedOperand *to = &operands[0], *from = &operands[1];
    bool wide = to->type == ZYDIS_OPERAND_TYPE_REGISTER && to->size >= 32;
    if (found.mnemonic == ZYDIS_MNEMONIC_MOV && wide &&
        from->type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
        effect->rax = RAX_NUMBER;
        effect->number =
            to->size == 32 ? (long)(uint32_t)from->imm.value.u : (long)from->imm.value.s;
    } else if (found.mnemonic == ZYDIS_MNEMONIC_XOR && wide &&
               from->type == ZYDIS_OPERAND_TYPE_REGISTER && from->reg.value == to->reg.value) {
        effect->rax = RAX_NUMBER;
        effect->number = 0;
    } else if (found.mnemonic == ZYDIS_MNEMONIC_MOV && to->size == 64 &&
               from->type == ZYDIS_OPERAND_TYPE_REGISTER) {
        effect->rax = RAX_COPIED;
    }
    return true;
}
