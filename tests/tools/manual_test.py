# SPDX-License-Identifier: MIT
"""manual_test.py - the manual pages say what headers and sources say.

  manual_test.py lint SOURCE
      mandoc finds nothing to say about the pages.
  manual_test.py installed SOURCE CMAKE BUILD
      cmake --install puts every page where man looks for it.
  manual_test.py check SOURCE LIBRARY COMPILER -- FLAGS...
      Functions, prototypes and error codes of section 3 are those of umsshim.h; the environment's
      switches, umsrun's options and the diagnostics are those of the sources; references lead to
      pages; error codes that docs/conformance.md asserts of a function are on its page; the examples
      compile without a warning, and the program in umsshim(7) runs.

The pages are written by hand, not made from the header's comments: a comment is for a reader that has the
code before him and stays short; a page has sections, tables and examples that a comment would only
carry as markup. Things that must not differ are checked here instead.
"""
import os
import re
import subprocess
import sys
import tempfile

from pages import fail, failures, read

NAME = r"[A-Z][A-Z0-9_]*"
COMMON_ERROR = 50  # the header says it once, for all functions


def expect_equal(what, page, source):
    """Two sets, of which neither may have more than the other, and neither may be empty."""
    if not page or not source:
        fail(f"{what}: nothing found in {'the pages' if not page else 'the sources'}")
    for name in sorted(page - source, key=str):
        fail(f"{what}: {name} is in the manual, not in the sources")
    for name in sorted(source - page, key=str):
        fail(f"{what}: {name} is in the sources, not in the manual")


# ---- The pages -----------------------------------------------------------------------------------

class Page:
    """A page's sections, each as its lines of mdoc."""

    def __init__(self, path):
        self.path = path
        self.name, self.section = os.path.basename(path).rsplit(".", 1)
        self.text = read(path)
        self.sections = {}
        current = None
        for line in self.text.splitlines():
            if line.startswith(".Sh "):
                current = self.sections.setdefault(line[4:], [])
            elif current is not None:
                current.append(line)

    def lines(self, section):
        if section not in self.sections:
            fail(f"{self.name}({self.section}): no section {section}")
        return self.sections.get(section, [])

    def prototype(self):
        lines = self.lines("SYNOPSIS")
        kind = [line[4:] for line in lines if line.startswith(".Ft ")]
        name = [line[4:] for line in lines if line.startswith(".Fo ")]
        args = [line[5:-1] for line in lines if line.startswith('.Fa "')]
        return normal(f"{' '.join(kind)} {' '.join(name)}({', '.join(args)})")

    def errors(self):
        found = {}
        for line in self.lines("ERRORS"):
            if line.startswith(".It"):
                item = re.fullmatch(rf"\.It Er ({NAME}) Pq (\d+)", line)
                if item:
                    found[item.group(1)] = int(item.group(2))
                else:
                    fail(f"{self.name}: not understood: {line}")
        return found

    def examples(self):
        blocks = re.findall(r"^\.Bd -literal[^\n]*\n(.*?)^\.Ed", "\n".join(
            self.sections.get("EXAMPLES", [])) + "\n", re.S | re.M)
        return [block.replace(r"\e", "\\") for block in blocks]

    def references(self):
        return set(re.findall(r"^\.Xr (\S+) (\d)", self.text, re.M))


def pages(source):
    folder = os.path.join(source, "docs", "man")
    return [Page(os.path.join(folder, name)) for name in sorted(os.listdir(folder))
            if re.search(r"\.[1-9]$", name)]


# ---- The sources ---------------------------------------------------------------------------------

def normal(prototype):
    """Without what no page shows (export, calling convention), and with one way to set blanks."""
    prototype = re.sub(r"\b(UMSSHIM_API|WINAPI)\b", "", prototype)
    prototype = re.sub(r"\s*([*(),])\s*", r"\1", prototype)
    return " ".join(prototype.split())


def header_functions(source):
    """Name -> (prototype, codes), from the comments and declarations of umsshim.h."""
    functions = {}
    text = read(source, "umsshim", "include", "umsshim.h")
    for comment, prototype in re.findall(
            r"/\*((?:(?!\*/).)*)\*/\s*(UMSSHIM_API\s[^;{]*);", text, re.S):
        prototype = normal(prototype)
        name = re.search(r"(\w+)\(", prototype).group(1)
        told = re.split(r"FALSE:|NULL and", comment, maxsplit=1)
        codes = {int(code) for code in re.findall(r"\b\d+\b", told[1])} if len(told) > 1 else set()
        functions[name] = (prototype, codes | {COMMON_ERROR})
    return functions


def exported(source):
    """The UMS functions of the DLL: those of its exports that have no other name inside."""
    text = read(source, "umsshim", "umsshim.def").split("EXPORTS", 1)[1]
    return {line.strip() for line in text.splitlines()
            if re.fullmatch(r"\s+[A-Z]\w+", line)}


def code_of_libraries(source):
    """File -> text without comments, of everything that is compiled into the libraries."""
    code = {}
    for folder in ("umsshim", "platform", "winapi"):
        for where, _, names in os.walk(os.path.join(source, folder)):
            for name in names:
                if name.endswith((".c", ".h")):
                    text = read(where, name)
                    code[os.path.join(where, name)] = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return code


def literals(text):
    """String literals, adjacent ones joined as the compiler does."""
    for run in re.findall(r'(?:L?"(?:[^"\\\n]|\\.)*"\s*)+', text):
        yield "".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', run))


# ---- What is compared ----------------------------------------------------------------------------

def check_functions(source, all_pages):
    functions = header_functions(source)
    section3 = {page.name: page for page in all_pages if page.section == "3"}
    expect_equal("functions", set(section3), set(functions))
    expect_equal("functions exported by umsshim.dll", set(section3), exported(source))
    numbers = {}
    for name in sorted(set(section3) & set(functions)):
        page, (prototype, codes) = section3[name], functions[name]
        for section in ("LIBRARY", "RETURN VALUES", "SEE ALSO", "HISTORY"):
            page.lines(section)
        if ".Ss Callers" not in page.lines("DESCRIPTION"):
            fail(f"{name}: the page does not say who may call")
        if page.prototype() != prototype:
            fail(f"{name}: the page has `{page.prototype()}', the header `{prototype}'")
        errors = page.errors()
        expect_equal(f"{name}, error codes", set(errors.values()), codes)
        for error, number in errors.items():
            if numbers.setdefault(error, number) != number:
                fail(f"{name}: {error} is {number} here and {numbers[error]} elsewhere")
    return numbers


def check_conformance(source, all_pages):
    """What the clauses say of a function, by the page of Microsoft's that they name."""
    section3 = {page.name.lower(): page for page in all_pages if page.section == "3"}
    compared = 0
    for line in read(source, "docs", "conformance.md").splitlines():
        clause = re.match(r"\| ([A-Z]+-\d+) \| \w+ \| (.*?) \| \[(\w+)\]\(", line)
        if not clause or clause.group(3) not in section3:
            continue
        page = section3[clause.group(3)]
        for code in re.findall(r"(?:\b0|NULL) and (\d+)|last error (?:is )?(\d+)", clause.group(2)):
            compared += 1
            if not re.search(rf"\b{code[0] or code[1]}\b", page.text):
                fail(f"{page.name}: {clause.group(1)} says `{clause.group(2)}'")
    if compared < 15:
        fail(f"only {compared} codes were found in docs/conformance.md")


def check_environment(source, manual, code):
    named = set()
    for line in manual.lines("ENVIRONMENT"):
        if line.startswith(".It Ev "):
            named |= set(re.findall(NAME, line[7:]))
    whole, mentioned = set(), set()
    for text in code.values():
        for literal in literals(text):
            whole |= {literal} if re.fullmatch(NAME, literal) else set()
            mentioned |= set(re.findall(r"\bUMSSHIM_[A-Z_]+\b", literal))
    switches = {name for name in whole if re.match("UMSSHIM_.", name)}
    table = read(source, "platform", "switches", "switches.def")
    rows = {"UMSSHIM_" + name for name in re.findall(r"^SWITCH\((\w+)", table, re.M)}
    own = tuple("UMSSHIM_" + start for start in re.findall(r"^OF_TESTS\((\w+)", table, re.M))
    expect_equal("switches.def", rows, {name for name in switches if not name.startswith(own)})
    expect_equal("environment", {n for n in named if n.startswith("UMSSHIM_")}, switches)
    for name in sorted(named - whole):
        fail(f"environment: nothing reads {name}")
    for name in sorted(mentioned - switches):
        fail(f"environment: a message names {name}, which nothing reads")
    for path, text in code.items():
        for name in re.findall(r'\b(?:secure_)?getenv\("(\w+)"\)', text):
            if name not in named:
                fail(f"environment: {os.path.relpath(path, source)} reads {name}")
    # The manual is their home. What other pages name has to be there.
    for document in ("README.md", *(os.path.join("docs", name) for name in ("debugging.md", "systems.md"))):
        for name in sorted(set(re.findall(r"`(UMSSHIM_[A-Z_]+)=", read(source, document))) - switches):
            fail(f"environment: {document} names {name}, which nothing reads")


def check_diagnostics(manual, code):
    said = [literal for text in code.values() for literal in literals(text)]
    items = re.findall(r'^\.It Li "(.*?)(?: ?\.\.\.)"', "\n".join(manual.lines("DIAGNOSTICS")), re.M)
    if not items:
        fail("umsshim(7): no diagnostics were understood")
    for item in items:
        if not any(literal.startswith(item) for literal in said):
            fail(f"umsshim(7): nothing says `{item}'")


def check_umsrun(source, page):
    usage = read(source, "winapi", "windows", "umsrun", "main.c")
    expect_equal("umsrun's options",
                 set(re.findall(r"^\.It Fl -(\w+)", page.text, re.M)),
                 set(re.findall(r'^\s*"  --(\w+) ', usage, re.M)))
    expect_equal("umsrun's options, as they are compared",
                 set(re.findall(r"^\.It Fl -(\w+)", page.text, re.M)),
                 set(re.findall(r'wcscmp\(option, L"--(\w+)"\)', usage)))


def check_references(all_pages):
    there = {(page.name, page.section) for page in all_pages}
    names = {page.name for page in all_pages}
    for page in all_pages:
        for name, section in page.references():
            if name in names and (name, section) not in there:
                fail(f"{page.name}({page.section}) refers to {name}({section})")
            elif name not in names and re.search(r"Ums|^ums", name):
                fail(f"{page.name}({page.section}) refers to {name}, which has no page")
        if page.name not in re.findall(r"^\.Nm (\S+)", page.text, re.M):
            fail(f"{page.path} has another name in it")
    overview = next(page for page in all_pages if page.name == "umsshim")
    missing = there - overview.references() - {("umsshim", "7")}
    for name, section in sorted(missing):
        fail(f"umsshim(7) does not refer to {name}({section})")


def compile_all(all_pages, numbers, library, compiler, flags):
    with tempfile.TemporaryDirectory() as folder:
        def compiled(what, text, *more):
            path = os.path.join(folder, "page.c")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            done = subprocess.run(
                [compiler, "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", path]
                + list(more) + flags, capture_output=True, text=True, check=False)
            if done.returncode:
                fail(f"{what} does not compile:\n{done.stderr}")
            return done.returncode == 0

        declarations = ["#include <windows.h>"]
        for page in all_pages:
            if page.section == "3":
                declarations.append(page.prototype().replace(page.name, f"WINAPI {page.name}", 1) + ";")
        for error, number in sorted(numbers.items()):
            declarations.append(f'_Static_assert({error} == {number}, "{error}");')
        compiled("what the pages declare", "\n".join(declarations) + "\n",
                 "-c", "-o", os.path.join(folder, "page.o"))

        tried = 0
        for page in all_pages:
            for example in page.examples():
                if page.section == "3":
                    tried += 1
                    compiled(f"the example of {page.name}(3)", "#include <windows.h>\n" + example,
                             "-c", "-o", os.path.join(folder, "page.o"))
        if tried < 4:
            fail(f"only {tried} examples of section 3 were found")

        example = next(page for page in all_pages if page.name == "umsshim").examples()[0]
        program = os.path.join(folder, "program")
        if compiled("the example of umsshim(7)", example, "-o", program, library,
                    f"-Wl,-rpath,{os.path.dirname(library)}"):
            ran = subprocess.run([program], capture_output=True, text=True, check=False, timeout=20)
            turns = sorted(ran.stdout.splitlines())
            if ran.returncode or turns != sorted(
                    f"{who}, turn {turn}" for who in ("left", "right") for turn in (1, 2, 3)):
                fail(f"the example of umsshim(7): exit status {ran.returncode}, said\n{ran.stdout}"
                     f"{ran.stderr}")


def check(source, library, compiler, flags):
    all_pages = pages(source)
    code = code_of_libraries(source)
    manual = next(page for page in all_pages if page.name == "umsshim")
    numbers = check_functions(source, all_pages)
    check_conformance(source, all_pages)
    check_environment(source, manual, code)
    check_diagnostics(manual, code)
    check_umsrun(source, next(page for page in all_pages if page.name == "umsrun"))
    check_references(all_pages)
    compile_all(all_pages, numbers, library, compiler, flags)


def lint(source):
    """Pages of others (ioctl(2)) may be absent on this system, which is no fault of ours; whether
    ours are there is looked at by check."""
    files = [page.path for page in pages(source)]
    if len(files) < 16:
        fail(f"only {len(files)} pages")
    try:
        said = subprocess.run(["mandoc", "-Tlint", "-W", "style"] + files, capture_output=True,
                              text=True, check=False)
    except FileNotFoundError:
        fail("there is no mandoc: install the package of that name")
        return
    for line in said.stdout.splitlines():
        if "referenced manual not found" not in line:
            fail(line)
    if said.returncode > 2:
        fail(f"mandoc: exit status {said.returncode}\n{said.stderr}")


def installed(source, cmake, build):
    wanted = {f"man{page.section}/{page.name}.{page.section}" for page in pages(source)}
    with tempfile.TemporaryDirectory() as prefix:
        done = subprocess.run([cmake, "--install", build, "--prefix", prefix], capture_output=True,
                              text=True, check=False)
        if done.returncode:
            fail(f"cmake --install: {done.stderr}")
        there = {os.path.relpath(os.path.join(where, name), folder)
                 for folder in [os.path.join(prefix, "share", "man")]
                 for where, _, names in os.walk(folder) for name in names}
    expect_equal("installed pages", there, wanted)


def main(args):
    if len(args) == 4 and args[0] == "installed":
        installed(*args[1:])
    elif len(args) == 2 and args[0] == "lint":
        lint(args[1])
    elif len(args) > 4 and args[0] == "check" and args[4] == "--":
        check(args[1], args[2], args[3], args[5:])
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 1 if failures else 0


sys.exit(main(sys.argv[1:]))
