/* SPDX-License-Identifier: MIT
 *
 * parts.c - what is run.
 */
#include "report.h"

#define LINKED "\"@\\ums_conformance_linked.exe\" --provider=linked?"
#define BY_UMSRUN "\"@\\ums_conformance.exe\" --provider=kernel32 \"--launcher=@\\umsrun.exe\"?"
#define OWN "\"@\\ums_conformance.exe\" --provider=kernel32?"
#define IMPORTS "\"@\\umsrun.exe\" \"@\\imports.exe\""
#define TRY "\"@\\umsrun.exe\" --try"
#define CHECK "\"@\\umsrun.exe\" --check"

static const char in_place[] = "inplace", pinned[] = "pinned";
static const char imports_what[] = "a program that imports the functions from kernel32, by umsrun";
static const char linked_what[] = "all clauses, linked with umsshim.dll";
static const char umsrun_what[] = "all clauses, looked up in kernel32, by umsrun";
static const char timings_what[] = "what a yield and a wait cost";
static const char copy_what[] = "a copy of that program by umsrun --link, started by itself";
static const char cet_what[] = "the hazards, by a program that is marked for user shadow stacks";
static const char races_what[] = "races, again and again for five minutes";
static const char marked[] = "umsshim-hazards-cet.exe";
static const char hazards_what[] = "tests of the engine's hazards";

static const char dll[] = "umsshim.dll", kit[] = "ums_conformance.exe";
static const char linked_kit[] = "ums_conformance_linked.exe", hazards[] = "umsshim-hazards.exe";
static const char umsrun[] = "umsrun.exe", imports[] = "imports.exe";

const struct part parts[] = {
    {"system", "system and build", part_system, NULL, NULL, ON_ANY, NULL, 20, false},
    {"security", "what the system forbids", part_security, NULL, NULL, ON_ANY, NULL, 20, false},
    {"modules", "modules that are not the system's", part_modules, NULL, NULL, ON_ANY, NULL, 20,
     false},
    {"names", "the 14 names and where they lead", part_names, NULL, NULL, ON_ANY, NULL, 20, false},
    {"teb", "the thread's block, row by row", part_teb, NULL, NULL, ON_ANY, NULL, 20, false},
    {"stubs", "code of the hooked calls", part_stubs, NULL, NULL, WITHOUT_OWN, dll, 20, false},
    {"try", "umsrun --try: whether in place passes its trial", NULL, TRY, NULL, WITHOUT_OWN, umsrun,
     30, false},
    {"check", "umsrun --check", NULL, CHECK, NULL, WITHOUT_OWN, umsrun, 30, false},
    {"import-inplace", imports_what, NULL, IMPORTS, in_place, WITHOUT_OWN, imports, 30, false},
    {"import-pinned", imports_what, NULL, IMPORTS, pinned, WITHOUT_OWN, imports, 30, false},
    {"copy-inplace", copy_what, part_copy, NULL, in_place, WITHOUT_OWN, imports, 30, false},
    {"copy-pinned", copy_what, part_copy, NULL, pinned, WITHOUT_OWN, imports, 30, false},
    {"timings-inplace", timings_what, part_timings, NULL, in_place, WITHOUT_OWN, dll, 30, false},
    {"timings-pinned", timings_what, part_timings, NULL, pinned, WITHOUT_OWN, dll, 30, false},
    {"linked-inplace", linked_what, NULL, LINKED, in_place, WITHOUT_OWN, linked_kit, 100, false},
    {"umsrun-inplace", umsrun_what, NULL, BY_UMSRUN, in_place, WITHOUT_OWN, kit, 100, false},
    {"linked-pinned", linked_what, NULL, LINKED, pinned, WITHOUT_OWN, linked_kit, 100, false},
    {"umsrun-pinned", umsrun_what, NULL, BY_UMSRUN, pinned, WITHOUT_OWN, kit, 100, false},
    {"hazards-inplace", hazards_what, part_hazards, NULL, in_place, WITHOUT_OWN, hazards, 90,
     false},
    {"hazards-pinned", hazards_what, part_hazards, NULL, pinned, WITHOUT_OWN, hazards, 90, false},
    {"hazards-cet", cet_what, part_hazards, NULL, NULL, WITHOUT_OWN, marked, 90, false},
    {"races-inplace", races_what, part_races, NULL, in_place, WITHOUT_OWN, hazards, 600, true},
    {"races-pinned", races_what, part_races, NULL, pinned, WITHOUT_OWN, hazards, 600, true},
    {"own-clauses", "all clauses, the system's own", NULL, OWN, NULL, WITH_OWN, kit, 200, false},
    {"own-timings", timings_what, part_timings, NULL, NULL, WITH_OWN, NULL, 60, false},
};
const int part_count = sizeof parts / sizeof parts[0];
_Static_assert(sizeof parts / sizeof parts[0] <= MOST_PARTS, "there is an outcome for each");
