/* SPDX-License-Identifier: MIT
 *
 * loader_end.c - see loader_end.h. The codes are from the documented list of NTSTATUS values.
 */
#include "winapi/windows/umsrun/loader_end.h"

#include <stddef.h>

static const struct {
    uint32_t code;
    const char *text;
} ends[] = {
    {0xC0000135, "a DLL that it imports was not found: put the DLL beside the program, or install "
                 "what has it"},
    {0xC0000139, "a DLL lacks a function that it imports: the DLL is of another version than the "
                 "program wants"},
    {0xC0000138, "a DLL lacks a function that it imports by number: the DLL is of another version "
                 "than the program wants"},
    {0xC0000142, "a DLL refused to start: the Application log of the event viewer may name it; "
                 "UMSSHIM_DISABLE=1 shows whether umsshim.dll has a part in that"},
    {0xC000007B, "a DLL that it imports is a 32-bit one or is damaged: look which one lies beside "
                 "the program or in PATH"},
    {0xC0E90002, "this Windows does not run a file that it does not know (Smart App Control, or a "
                 "policy): the event log CodeIntegrity, event 3077, names the file"},
    {0xC0000428, "the signature of a file is not valid or not trusted here: the event log "
                 "CodeIntegrity names the file"},
    {0xC0000022,
     "a file that it imports may not be read by this user: look at the rights of "
     "umsshim.dll and the other DLLs beside it; an anti-virus program may do that, too"},
};

const char *loader_end(uint32_t code)
{
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (ends[i].code == code)
            return ends[i].text;
    return NULL;
}
