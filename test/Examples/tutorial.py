"""Runs the commands of the tutorial and of README.md and compares what they print with what the pages quote.

A ```console block holds commands after '$ ' (continued by a '\\' at the end of the line) and, below each, what it prints. In
a quoted line '...' (as one character, U+2026) stands for anything; as a line of its own it stands for any number of lines.
Other quoted lines must follow each other in the output. Blanks at the ends and runs of blanks do not count. A command must
exit with 0, or with something else if an error is quoted. Commands that need the CUDA Toolkit are left out where it is
not there.

RUN: %python %s %nag_src/docs/tutorial/from-update-to-ptx.md %nag_src %t %if ptxas %{ --toolkit %}
RUN: %python %s %nag_src/README.md %nag_src %t %if ptxas %{ --toolkit %}
"""

import pathlib
import re
import shutil
import subprocess
import sys

# What a page may tell its reader to run that is no matter of a test: it takes minutes, or runs the tests themselves.
LEFT_TO_THE_READER = re.compile(r"scripts/|^export PATH=|^git clone|^cd ")
NEEDS_TOOLKIT = re.compile(r"--emit=(ptx|cubin|fatbin)|\.(ptx|cubin|fatbin)\b|--target=(cuda|simt)|--chip=|cuobjdump")


def parse(page):
    """The commands of the page with the number of their line and the lines quoted below each."""
    commands, inside, continued = [], False, False
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if line.startswith("```"):
            inside, continued = line == "```console", False
        elif inside and (line.startswith("$ ") or continued):
            text = line if continued else line[2:]
            if continued:
                commands[-1][1] += "\n" + text
            else:
                commands.append([number, text, []])
            continued = line.endswith("\\")
        elif inside:
            commands[-1][2].append(line)
    return commands


def normalise(line):
    return " ".join(line.split())


def matches(quoted, line):
    pattern = ".*".join(re.escape(part) for part in normalise(quoted).split("…"))
    return re.fullmatch(pattern, normalise(line)) is not None


def first_unmatched(quoted, lines):
    """The first quoted line that the output has not, in its order; None if all are there."""
    groups, free = [], True
    for line in filter(str.strip, quoted):
        if line.strip() == "…":
            free = True
        elif free:
            groups.append([line])
            free = False
        else:
            groups[-1].append(line)
    lines = [line for line in lines if line.strip()]
    start = 0
    for group in groups:
        for begin in range(start, len(lines) - len(group) + 1):
            if all(map(matches, group, lines[begin:])):
                start = begin + len(group)
                break
        else:
            for count in range(len(group), 0, -1):
                if any(all(map(matches, group[:count], lines[i:])) for i in range(start, len(lines) - count + 1)):
                    return group[count]
            return group[0]
    return None


def main():
    page, root, scratch = map(pathlib.Path, sys.argv[1:4])
    has_toolkit = "--toolkit" in sys.argv[4:]
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    for name in ("examples", "include"):
        (scratch / name).symlink_to(root / name)
    ran, failed = 0, 0
    for number, command, quoted in parse(page):
        if LEFT_TO_THE_READER.search(command) or (NEEDS_TOOLKIT.search(command) and not has_toolkit):
            continue
        ran += 1
        result = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=scratch, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        wrong = None
        fails = any("error:" in line for line in quoted)
        if bool(result.returncode) != fails:
            wrong = f"exit code {result.returncode}"
        elif (line := first_unmatched(quoted, result.stdout.splitlines())) is not None:
            wrong = f"does not print: {line}"
        if wrong:
            failed += 1
            print(f"{page}:{number}: {command}\n  {wrong}; it prints:\n{result.stdout}")
    print(f"{page.name}: {ran} commands, {failed} failed")
    return 1 if failed or not ran else 0


if __name__ == "__main__":
    sys.exit(main())
