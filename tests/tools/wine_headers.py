#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""wine_headers.py - no header of ours is in the way of one that the installed Wine has.

    wine_headers.py OURS SPELLINGS WINE CC CXX -- FLAGS

Each header in Wine's folder and each of ours is compiled with what users compile with, as C and as C++: alone and
before <windows.h>, which is one source, and after <windows.h>. And a header of ours that has the name of one of
Wine's leads to that one.

A source for each would take minutes. These keep it to seconds:

  Many headers are in one source, which is compiled twice, with our folders and with Wine's alone.
  Complaints with ours only are looked at again, in a source for each header that they are about.
  Complaints that come both times are not our doing: some of Wine's headers need others before them,
  or do not go together.

  After <windows.h> all are in one source.

  Before <windows.h>, a header that begins by including it is the same source as after it. So is one that begins
  with a header that reads it, but for that header itself. Those that read neither it nor any header of ours have
  nothing of ours before them but the flags: all are in one source. Those that read the same headers of ours in the
  same order are in one source. The rest, who say something and then read <windows.h>, have one each. A header that
  does not compile alone with Wine's folder alone takes no part: it is no source, and can spoil <windows.h> for the
  others. Where <windows.h> fails nevertheless, the header at fault is sought by halves.

  A spelling that is nothing but an #include of its name in lower case is that header.

The large sources are for clang if there is one, which reads them four times as fast as gcc, the others for CC and
CXX. The headers that a header reads are read off its #include lines, without their conditions.

OURS is winapi/include, SPELLINGS the folder of generated spellings, WINE Wine's folder. A native build has no
Winsock (winapi/include/README.md): a header that leads to it is left out and counted.
"""
import collections
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys

LIMIT_SECONDS = 120  # for one compilation
FEWEST = 700         # headers; Wine 8 has 766
WINDOWS = "windows.h"
LANGUAGES = ("C", "C++")
WINSOCK = re.compile(r"(w?winsock2?|ws2\w*|mswsock)\.h$", re.I)
INCLUDE = re.compile(r'^\s*#\s*(include|include_next)\s*([<"])([^">]+)[">]', re.M)


class Folders:
    """What the headers say, by their text alone."""

    def __init__(self, *folders):
        self.folders = folders  # Wine's is the last
        self.texts = {}
        self.included = {}

    def find(self, header, behind=-1):
        """(number of the folder, path) of what #include <header> finds; None if it is none of these folders'."""
        for number, folder in enumerate(self.folders):
            path = os.path.join(folder, header)
            if number > behind and os.path.isfile(path):
                return number, path
        return None

    def includes(self, number, path):
        """The same of what the header there includes, in order."""
        if path not in self.included:
            self.included[path] = list(self.look_for_includes(number, path))
        return self.included[path]

    def look_for_includes(self, number, path):
        for how, quote, header in INCLUDE.findall(self.text(path)):
            beside = os.path.join(self.folders[number], header)
            found = self.find(header, number if how == "include_next" else -1)
            if quote == '"' and os.path.isfile(beside):
                found = number, beside
            if found:
                yield found

    def text(self, path):
        if path not in self.texts:
            with open(path, encoding="utf-8", errors="replace") as file:
                self.texts[path] = re.sub(r"/\*.*?\*/|//[^\n]*", " ", file.read(), flags=re.S)
        return self.texts[path]

    def is_spelling(self, header):
        text = self.text(self.find(header)[1])
        return header != header.lower() and text.split() == ["#include", f"<{header.lower()}>"]

    def reads(self, header):
        """The headers of ours that it reads, in order, up to <windows.h>; and whether it leads to Winsock."""
        order, seen, winsock = [], set(), False
        ahead = [self.find(header)]
        while ahead:
            number, path = ahead.pop()
            name = os.path.basename(path)
            winsock = winsock or bool(WINSOCK.match(name))
            if path in seen:
                continue
            seen.add(path)
            if number < len(self.folders) - 1:
                if WINDOWS not in order:
                    order.append(name)
                if name == WINDOWS:
                    continue # ours keeps Winsock out
            ahead += reversed(self.includes(number, path))
        return tuple(order), winsock

    def begins_with(self, header):
        """What it includes before it says anything; None if it speaks first."""
        for line in self.text(self.find(header)[1]).splitlines():
            found = INCLUDE.match(line)
            if found:
                return found.group(3)
            if line.strip() and not line.lstrip().startswith("#"):
                return None
        return None


class Compilers:
    def __init__(self, commands, flags, wine):
        self.commands = commands
        self.sets = {"ours": flags, "wine": ["-isystem", wine, "-DWIN32_LEAN_AND_MEAN"]}
        self.wines = names(wine)

    def run(self, compiler, language, whose, headers, *options):
        # A spelling of ours stands for Wine's header of that name in lower case; some are not in Wine at all.
        if whose == "wine":
            headers = [header.lower() if header.lower() in self.wines else "stddef.h" for header in headers]
        source = "".join(f"#include <{header}>\n" for header in headers)
        options = ["-std=gnu11", "-x", "c", *options] if language == "C" else ["-std=gnu++17", "-x", "c++", *options]
        command = [self.commands[compiler][language], "-w", *self.sets[whose], *options, "-"]
        return subprocess.run(command, input=source, text=True, capture_output=True, timeout=LIMIT_SECONDS,
                              errors="replace", check=False, env={**os.environ, "LC_ALL": "C"})

    def errors(self, compiler, language, whose, headers):
        """{number of a header: places of the errors because of it}; {} if a source of these headers compiles."""
        every = "-ferror-limit=0" if "clang" in self.commands[compiler][language] else "-fmax-errors=0"
        done = self.run(compiler, language, whose, headers, "-fsyntax-only", every)
        found = collections.defaultdict(set)
        line = 0
        for text in done.stderr.splitlines():
            place = re.match(r"(?:In file included|\s+) from <stdin>:(\d+)", text)
            error = re.match(r"(.*?:\d+):(?:\d+:)? (?:fatal )?error: ", text)
            line = int(place.group(1)) if place else line
            if error:
                found[line - 1].add(error.group(1))
        if done.returncode and not found:
            found[len(headers) - 1].add(done.stderr or "no message")
        return found


class Judge:
    """Each function gives findings, as texts."""

    def __init__(self, compilers):
        self.compilers = compilers
        self.clean = collections.Counter()

    def alone(self, compiler, language, headers):
        """It does not compile with ours, and does with Wine's folder alone."""
        how = "-fsyntax-only", "-fmax-errors=1"
        said = self.compilers.run(compiler, language, "ours", headers, *how)
        if not said.returncode or self.compilers.run(compiler, language, "wine", headers, *how).returncode:
            return []
        text = ", then ".join(f"<{header}>" for header in headers)
        return [f"{language}, {text}:\n" + "\n".join(said.stderr.splitlines()[:6])]

    def compare(self, language, begin, headers):
        """(the headers that nothing is said about, findings) of a source of many headers."""
        source = begin + headers
        ours = self.compilers.errors("fast", language, "ours", source)
        if not ours:
            return headers, []
        wines = self.compilers.errors("fast", language, "wine", source)
        suspects = {number - len(begin) for number, places in ours.items() if places - wines[number]}
        if min(suspects, default=0) < 0:
            suspects = range(len(headers)) # what they begin with fails: no header of theirs, then, is at fault alone
        findings = [self.alone("fast", language, begin + [headers[number]]) for number in sorted(suspects)]
        return [one for number, one in enumerate(headers) if number + len(begin) not in ours], sum(findings, [])

    def after(self, language, headers):
        """All headers in one source after <windows.h>."""
        clean, findings = self.compare(language, [WINDOWS], headers)
        self.clean[language, "after"] += len(clean)
        return findings

    def before(self, language, headers):
        """Headers that read nothing of ours before <windows.h>."""
        clean, findings = self.compare(language, [], headers)
        return findings + self.few(language, clean, "fast")

    def few(self, language, headers, compiler="own"):
        """Headers that read the same of ours before <windows.h>. One that needs others before it is no source, and
        can spoil <windows.h> for the others: it takes no part."""
        how = "-fsyntax-only", "-fmax-errors=1"
        if len(headers) > 1:
            headers = [one for one in headers if not self.compilers.run("own", language, "wine", [one], *how).returncode]
        return self.halve(compiler, language, headers)

    def halve(self, compiler, language, headers):
        """What is at fault when <windows.h> does not compile after all of them is sought by halves."""
        how = "-fsyntax-only", "-fmax-errors=1"
        if len(headers) == 1:
            findings = self.alone(compiler, language, headers + [WINDOWS])
            self.clean[language, "before"] += not findings
            return findings
        if not self.compilers.run(compiler, language, "ours", headers + [WINDOWS], *how).returncode:
            self.clean[language, "before"] += len(headers)
            return []
        middle = len(headers) // 2
        return sum((self.halve(compiler, language, part) for part in (headers[:middle], headers[middle:])), [])

    def leads(self, language, wine, header):
        """A header of ours has the name of one of Wine's and does not lead to that one."""
        read = self.compilers.run("own", language, "ours", [header], "-M").stdout
        if os.path.realpath(os.path.join(wine, header)) in map(os.path.realpath, read.replace("\\\n", " ").split()):
            return []
        return [f"{language}, <{header}>: Wine's header of that name is never reached"]


def names(folder):
    return {name for name in os.listdir(folder) if name.lower().endswith(".h")}


def sources_before(folders, headers):
    """The headers that have to be compiled before <windows.h>: lists of those that are in one source. The first
    are those that read nothing of ours."""
    reads = {header: folders.reads(header)[0] for header in headers}

    def is_another(header):
        """Whether it is the same source as another one, or as itself after <windows.h>."""
        begin, seen = folders.begins_with(header), set()
        while begin and begin not in seen and folders.find(begin):
            if WINDOWS in reads.get(begin, ()):
                return True
            seen.add(begin)
            begin = folders.begins_with(begin)
        return header == WINDOWS or folders.is_spelling(header)

    together = {(): []}
    rest = []
    for header in headers:
        if is_another(header):
            continue
        if WINDOWS in reads[header]:
            rest.append([header])
        else:
            together.setdefault(reads[header], []).append(header)
    return list(together.values()) + rest


def main():
    ours, spellings, wine, cc, cxx, _, *flags = sys.argv[1:]
    own = {name for name in names(ours) | names(spellings) if not name.startswith("umsshim_")} # those are parts
    everything = sorted(names(wine) | own)
    folders = Folders(ours, spellings, wine)
    headers = [header for header in everything if not folders.reads(header)[1]]
    before = sources_before(folders, headers)
    clang = shutil.which("clang") and shutil.which("clang++")
    commands = {"own": {"C": cc, "C++": cxx}, "fast": {"C": "clang", "C++": "clang++"} if clang else {"C": cc, "C++": cxx}}
    judge = Judge(Compilers(commands, flags, wine))
    jobs = []
    for language in LANGUAGES:
        jobs += [(judge.after, language, headers), (judge.before, language, before[0])]
        jobs += [(judge.few, language, source) for source in before[1:]]
        jobs += [(judge.leads, language, wine, header) for header in sorted(own & names(wine)) if header in headers]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        findings = sum(pool.map(lambda job: job[0](*job[1:]), jobs), [])
    for finding in findings:
        print(finding)
    print(f"wine_headers: {len(everything)} headers, {len(everything) - len(headers)} of them lead to Winsock; "
          f"{len(headers)} after <windows.h>, {sum(map(len, before))} before it in {len(before)} sources; these compile: "
          + ", ".join(f"{count} {order} it in {language}" for (language, order), count in sorted(judge.clean.items()))
          + f"; {len(findings)} findings")
    few = len(everything) < FEWEST or any(judge.clean[language, "after"] < FEWEST for language in LANGUAGES)
    return 1 if findings or few else 0


if __name__ == "__main__":
    sys.exit(main())
