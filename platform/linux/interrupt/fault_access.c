/* SPDX-License-Identifier: MIT
 *
 * fault_access.c - see fault_access.h.
 */
#include "platform/linux/interrupt/fault_access.h"

#include "platform/linux/os/decoder.h"

/* A 64-bit register of the interrupted code, by Zydis' name. False: it is another kind of
 * register. */
static bool value_of(const ucontext_t *interrupted, ZydisRegister name, uintptr_t *value)
{
    static const unsigned char places[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                             REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                             REG_R12, REG_R13, REG_R14, REG_R15};
    *value = 0;
    if (name == ZYDIS_REGISTER_NONE)
        return true;
    if (name < ZYDIS_REGISTER_RAX || name > ZYDIS_REGISTER_R15)
        return false;
    *value = (uintptr_t)interrupted->uc_mcontext.gregs[places[name - ZYDIS_REGISTER_RAX]];
    return true;
}

static bool access_of(const ucontext_t *interrupted, const ZydisDecodedInstruction *instruction,
                      const ZydisDecodedOperand *operand, struct fault_access *access)
{
    uintptr_t base, index;
    uintptr_t code = (uintptr_t)interrupted->uc_mcontext.gregs[REG_RIP];
    bool here = operand->mem.base == ZYDIS_REGISTER_RIP;
    if (operand->mem.type != ZYDIS_MEMOP_TYPE_MEM || instruction->address_width != 64 ||
        operand->mem.segment == ZYDIS_REGISTER_FS || operand->mem.segment == ZYDIS_REGISTER_GS ||
        !value_of(interrupted, here ? ZYDIS_REGISTER_NONE : operand->mem.base, &base) ||
        !value_of(interrupted, operand->mem.index, &index))
        return false;
    if (here)
        base = code + instruction->length;
    access->first = base + index * operand->mem.scale + (uintptr_t)operand->mem.disp.value;
    access->last = access->first + (operand->size > 8 ? operand->size / 8u - 1 : 0);
    access->writes = operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
    return true;
}

unsigned fault_accesses(const ucontext_t *interrupted, struct fault_access accesses[FAULT_ACCESSES])
{
    const struct decoder *zydis = decoder_opened();
    const void *code = (const void *)interrupted->uc_mcontext.gregs[REG_RIP];
    ZydisDecodedInstruction found;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    unsigned count = 0;
    if (!zydis || !ZYAN_SUCCESS(zydis->full(&zydis->code, code, ZYDIS_MAX_INSTRUCTION_LENGTH,
                                            &found, operands)))
        return 0;
    for (unsigned i = 0; i < found.operand_count; i++) {
        if (operands[i].type != ZYDIS_OPERAND_TYPE_MEMORY)
            continue;
        if (count == FAULT_ACCESSES ||
            !access_of(interrupted, &found, &operands[i], &accesses[count]))
            return 0;
        count++;
    }
    return count;
}
