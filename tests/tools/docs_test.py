# SPDX-License-Identifier: MIT
"""docs_test.py - what the pages say can be followed.

  docs_test.py links SOURCE
      Each link between pages leads to a file that is there, and to a heading if it names one. A source
      that a page names is there. The functions of platform.h are those that docs/porting-umsshim.md names, and
      are in the files that it says. The glossary has at most 40 words, and no page and no head of a file
      has a word that is gone, or a sentence with a clause of "what" or "who" for its subject at its
      beginning. The table of engine threads has the names that the sources give, and the files.
  docs_test.py tutorial SOURCE LIBRARY COMPILER -- FLAGS...
      The pieces of docs/tutorial.md and README.md. A comment above a piece says which program it belongs to. Those of a
      file of this tree are all of that file, in order, but for its head. Those of another name, put
      together, are a program. Each program compiles without a warning and prints, in any order of the
      lines, what the page says; hello does, too, with Sleep for UmsThreadYield.
"""
import os
import re
import subprocess
import sys
import tempfile

from pages import fail, failures, read



# ---- Links ---------------------------------------------------------------------------------------

def anchors(text):
    """Headings as the places that host such pages name them."""
    found = set()
    for title in re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.S | re.M), re.M):
        title = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title).lower())
        found.add(title.replace(" ", "-"))
    return found


def files_of(source):
    for where, folders, names in os.walk(source):
        folders[:] = [folder for folder in folders if folder not in ("build", ".git")]
        yield from (os.path.join(where, name) for name in names)


# Files that a reader may have, and one that Windows has.
NO_SOURCES = {"app.c", "aux.c", "name.c", "winsock.h"}


def check_names(source):
    """`list.c`, `umsshim/list.c`: the end of a path of this tree."""
    there = {"/" + os.path.relpath(path, source) for path in files_of(source)}
    ends = {path[at:] for path in there for at in range(len(path)) if path[at] == "/"}
    names = 0
    for page in (path for path in files_of(source) if path.endswith(".md")):
        for name in re.findall(r"`([\w./-]+\.(?:c|h|cc|S|def|py|sh|cmake))`", read(page)):
            names += 1
            if "/" + name not in ends and os.path.basename(name) not in NO_SOURCES:
                fail(f"{os.path.relpath(page, source)} names {name}, which is not there")
    if names < 200:
        fail(f"only {names} names of files were found")


def check_links(source):
    pages = [path for path in files_of(source) if path.endswith(".md")]
    links = 0
    for page in pages:
        text = re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```", "", read(page), flags=re.S | re.M))
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"[a-z]+:", target):
                continue
            links += 1
            path, _, anchor = target.partition("#")
            full = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            if not os.path.exists(full):
                fail(f"{os.path.relpath(page, source)} leads to {target}, which is not there")
            elif anchor and full.endswith(".md") and anchor not in anchors(read(full)):
                fail(f"{os.path.relpath(page, source)}: {target} names no heading")
    if links < 50:
        fail(f"only {links} links were found")


def check_seam(source):
    header = re.sub(r"^/\*.*?\*/", "", read(source, "platform", "platform.h"), count=1, flags=re.S)
    there = set(re.findall(r"\b(plat_\w+)\(", header)) - {"plat_core"}
    page = read(source, "docs", "porting-umsshim.md")
    named = set(re.findall(r"`(plat_\w+)`", page)) - {"plat_types"}
    if len(there) < 20:
        fail(f"platform.h was not understood: {sorted(there)}")
    for name in sorted(there ^ named):
        fail(f"{name} is in platform.h only" if name in there else f"{name} is in docs/porting-umsshim.md only")
    for functions, *engines in re.findall(r"^\| (`plat_[^|]*) \| ([^|]*) \| ([^|]*) \|$", page, re.M):
        for system, cell in zip(("linux", "windows"), engines):
            files = re.findall(r"`([\w./-]+\.[chS])`", cell)
            folders = ["", *re.findall(r"`(\w+/)`", cell)]
            texts = [read(path) for file in files for folder in folders
                     for path in [os.path.join(source, "platform", system, folder + file)] if os.path.exists(path)]
            for name in re.findall(r"`(plat_\w+)`", functions):
                if files and not any(re.search(rf"^(?:#define |\w[^;=]*\b){name}\(|^{name}:", text, re.M) for text in texts):
                    fail(f"docs/porting-umsshim.md: {name} is in none of {', '.join(files)} of {system}")


# ---- Words and threads ---------------------------------------------------------------------------

# Words that the glossary has no row for any more, and what is said instead.
WORDS_GONE = {
    "front way": "in user mode",
    "led to the library": "redirected to the library",
    "guardian": "none: there is no such process",
}


def head_of(path):
    """The comment with which a file begins: its contract. All of a page but its pieces of code."""
    if not re.search(r"\.(?:md|c|h|S|cc|cpp|hpp|def|py|sh|txt|cmake)$", path):
        return ""
    text = read(path)
    if path.endswith(".md"):
        return re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
    if path.endswith((".c", ".h", ".S", ".cc", ".cpp", ".hpp", ".def")):
        found = re.match(r"/\*.*?\*/", text, re.S)
        return re.sub(r"\n \*", "\n", found.group()) if found else ""
    if path.endswith(".py"):
        found = re.search(r'^"""(.*?)"""', text, re.S | re.M)
        return found.group(1) if found else ""
    if path.endswith((".sh", ".txt", ".cmake")):
        return re.sub(r"^#", "", re.match(r"(?:#.*\n)*", text).group(), flags=re.M)
    return ""


def pieces_of(path, head):
    """The paragraphs of a page, without headings and tables, or those of a file's head."""
    if not path.endswith(".md"):
        return [" ".join(piece.split()) for piece in re.split(r"\n\s*\n|\n(?=\s*- )", head)]
    pieces = [""]
    for line in head.split("\n"):
        if not line.strip() or re.match(r"\s*(?:[-*] |\d+\. )", line):
            pieces.append("")
        if not re.match(r"\||#|    ", line):
            pieces[-1] += " " + line.strip()
    return [piece.strip() for piece in pieces]


# "What is armed is served by the poller": the reader has to wait for the verb to know who does what.
CLAUSE = re.compile(r"(?:(?<=[.!?:] )|(?<=[.!?]\) )|^)(?:[-*] |\d+\. )?\**"
                    r"(?:What|Who|Whoever|Whatever)\b(?:[^.?!]|\.(?=\S))*[.?!:]?")


# Places that are still to be read for this, from the top of the tree. The list only gets shorter.
UNREAD = ("docs/windows.md", "platform/trace/", "platform/watch/", "platform/windows/", "tests/bench/windows/",
          "tests/models/", "tests/windows/", "winapi/include/", "winapi/windows/")


def check_sentences(source):
    for path in files_of(source):
        if os.path.relpath(path, source).startswith(UNREAD):
            continue
        for piece in pieces_of(path, head_of(path)):
            for sentence in CLAUSE.findall(piece):
                if not sentence.endswith("?"):
                    fail(f"{os.path.relpath(path, source)}: name who does what at the beginning of: {sentence[:70]}")


def check_words(source):
    rows = re.findall(r"^\| (?!word \|)(?!-)(.*?) \|", read(source, "docs", "glossary.md").replace("|---", "|-"), re.M)
    rows = [row for row in rows if not row.startswith("-")]
    if not 20 <= len(rows) <= 40:
        fail(f"docs/glossary.md has {len(rows)} words, of at most 40")
    heads = 0
    for path in files_of(source):
        head = " ".join(head_of(path).split())
        heads += bool(head)
        for word, instead in WORDS_GONE.items():
            if re.search(rf"\b{word}\b", head, re.I):
                fail(f"{os.path.relpath(path, source)} says \"{word}\", which is gone: {instead}")
    if heads < 500:
        fail(f"only {heads} heads of files were found")


def check_threads(source):
    there = set()
    for path in files_of(os.path.join(source, "platform", "linux")):
        if path.endswith(".c"):
            there |= set(re.findall(r'\bkthread_name\("(ums:\w+)"\)', read(path)))
    page = read(source, "docs", "life-of-a-blocking-call.md")
    rows = re.findall(r"^\| `(ums:\w+)` \| [^|]* \| [^|]*`([\w./]+)`[^|]* \|", page, re.M)
    if len(there) < 8:
        fail(f"names of threads were not understood: {sorted(there)}")
    for name in sorted(there ^ {row[0] for row in rows}):
        fail(f"{name} is {'no row' if name in there else 'a row only'} of docs/life-of-a-blocking-call.md")
    for name, file in rows:
        texts = [read(path) for path in files_of(os.path.join(source, "platform", "linux"))
                 if path.endswith("/" + file)]
        if not any(re.search(r"\b(?:program_)?(?:kthread|bare_thread)_create\(", text) for text in texts):
            fail(f"docs/life-of-a-blocking-call.md: {file} starts no thread {name}")


# ---- The tutorial --------------------------------------------------------------------------------

def without_blank_lines(text):
    return [line for line in text.splitlines() if line.strip()]


def check_programs(source, page, least, library, compiler, flags):
    """The programs of a page, by name; none if the page cannot be taken apart."""
    text = read(source, page)
    programs, outputs = {}, {}
    for name, piece in re.findall(r"^<!-- (\S+) -->\n```c\n(.*?)^```", text, re.S | re.M):
        programs[name] = programs.get(name, "") + piece + "\n"
    for name, said in re.findall(r"^<!-- output of (\S+) -->\n```text\n(.*?)^```", text, re.S | re.M):
        outputs[name] = said
    marked = len(re.findall(r"^<!-- .* -->$", text, re.M))
    pieces = len(re.findall(r"^```(?:c|text)$", text, re.M))
    if pieces != marked or len(programs) < least or set(programs) != set(outputs):
        fail(f"{page}: {pieces} pieces, {marked} marks, programs {sorted(programs)}, outputs {sorted(outputs)}")
        return {}, {}
    for name, text in programs.items():
        path = os.path.join(source, name)
        if os.path.exists(path):
            whole = re.sub(r"\A/\*.*?\*/", "", read(path), flags=re.S)
            expected, shown = without_blank_lines(whole), without_blank_lines(text)
            for line, (theirs, ours) in enumerate(zip(expected + [None], shown + [None])):
                if theirs != ours:
                    fail(f"piece of {name}, line {line}: the file has\n  {theirs}\nthe page\n  {ours}")
                    break
        run(name, text, outputs[name], library, compiler, flags)
    return programs, outputs


def check_tutorial(source, library, compiler, flags):
    check_programs(source, "README.md", 1, library, compiler, flags)
    programs, outputs = check_programs(source, os.path.join("docs", "tutorial.md"), 2, library, compiler, flags)
    if not programs:
        return
    hello = "samples/hello/main.c"
    sleeping = programs[hello].replace("UmsThreadYield(self)", "Sleep(10)")
    if sleeping == programs[hello]:
        fail(f"there is nothing to replace in {hello}")
    run(f"{hello} with Sleep", sleeping, outputs[hello], library, compiler, flags)


def run(name, text, wanted, library, compiler, flags):
    with tempfile.TemporaryDirectory() as folder:
        path, program = os.path.join(folder, "program.c"), os.path.join(folder, "program")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run(
            [compiler, "-std=gnu11", "-Wall", "-Wextra", "-Werror", path, "-o", program, library,
             f"-Wl,-rpath,{os.path.dirname(library)}"] + flags,
            capture_output=True, text=True, check=False)
        if done.returncode:
            fail(f"{name} does not compile:\n{done.stderr}")
            return
        ran = subprocess.run([program], capture_output=True, text=True, check=False, timeout=40)
        if ran.returncode or sorted(ran.stdout.splitlines()) != sorted(wanted.splitlines()):
            fail(f"{name}: exit status {ran.returncode}, said\n{ran.stdout}{ran.stderr}")


def main(args):
    if len(args) == 2 and args[0] == "links":
        check_links(args[1])
        check_names(args[1])
        check_seam(args[1])
        check_words(args[1])
        check_sentences(args[1])
        check_threads(args[1])
    elif len(args) > 4 and args[0] == "tutorial" and args[4] == "--":
        check_tutorial(args[1], args[2], args[3], args[5:])
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 1 if failures else 0


sys.exit(main(sys.argv[1:]))
