/* SPDX-License-Identifier: MIT
 *
 * parts.c - what is run.
 */
#include "report.h"

#define LINKED "\"@\\ums_conformance_linked.exe\" --provider=linked?"
#define BY_UMSRUN "\"@\\ums_conformance.exe\" --provider=kernel32 \"--launcher=@\\umsrun.exe\"?"
#define OWN "\"@\\ums_conformance.exe\" --provider=kernel32?"
#define IMPORTS "\"@\\umsrun.exe\" \"@\\imports.exe\""
#define CHECK "\"@\\umsrun.exe\" --check"

static const char in_place[] = "inplace", pinned[] = "pinned";
static const char imports_what[] = "a program that imports the functions from kernel32, by umsrun";
static const char linked_what[] = "all clauses, linked with umsshim.dll";
static const char umsrun_what[] = "all clauses, looked up in kernel32, by umsrun";
static const char timings_what[] = "what a yield and a wait cost";
static const char hazards_what[] = "tests of the engine's hazards";

static const char dll[] = "umsshim.dll", kit[] = "ums_conformance.exe";
static const char linked_kit[] = "ums_conformance_linked.exe", hazards[] = "umsshim-hazards.exe";
static const char umsrun[] = "umsrun.exe", imports[] = "imports.exe";

const struct part parts[] = {
    {"system", "system and build", part_system, NULL, NULL, ON_ANY, NULL, 20},
    {"security", "what the system forbids", part_security, NULL, NULL, ON_ANY, NULL, 20},
    {"modules", "modules that are not the system's", part_modules, NULL, NULL, ON_ANY, NULL, 20},
    {"names", "the 14 names and where they lead", part_names, NULL, NULL, ON_ANY, NULL, 20},
    {"teb", "the thread's block, row by row", part_teb, NULL, NULL, ON_ANY, NULL, 20},
    {"stubs", "code of the hooked calls", part_stubs, NULL, NULL, WITHOUT_OWN, dll, 20},
    {"check", "umsrun --check", NULL, CHECK, NULL, WITHOUT_OWN, umsrun, 30},
    {"import-inplace", imports_what, NULL, IMPORTS, in_place, WITHOUT_OWN, imports, 30},
    {"import-pinned", imports_what, NULL, IMPORTS, pinned, WITHOUT_OWN, imports, 30},
    {"timings-inplace", timings_what, part_timings, NULL, in_place, WITHOUT_OWN, dll, 30},
    {"timings-pinned", timings_what, part_timings, NULL, pinned, WITHOUT_OWN, dll, 30},
    {"linked-inplace", linked_what, NULL, LINKED, in_place, WITHOUT_OWN, linked_kit, 100},
    {"umsrun-inplace", umsrun_what, NULL, BY_UMSRUN, in_place, WITHOUT_OWN, kit, 100},
    {"linked-pinned", linked_what, NULL, LINKED, pinned, WITHOUT_OWN, linked_kit, 100},
    {"umsrun-pinned", umsrun_what, NULL, BY_UMSRUN, pinned, WITHOUT_OWN, kit, 100},
    {"hazards-inplace", hazards_what, part_hazards, NULL, in_place, WITHOUT_OWN, hazards, 90},
    {"hazards-pinned", hazards_what, part_hazards, NULL, pinned, WITHOUT_OWN, hazards, 90},
    {"own-clauses", "all clauses, the system's own", NULL, OWN, NULL, WITH_OWN, kit, 200},
    {"own-timings", timings_what, part_timings, NULL, NULL, WITH_OWN, NULL, 60},
};
const int part_count = sizeof parts / sizeof parts[0];
_Static_assert(sizeof parts / sizeof parts[0] <= MOST_PARTS, "there is an outcome for each");
