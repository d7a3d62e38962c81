"""Prints the table of scripts/demo.sh from what nag-run and nagc left.

usage: demo_table.py RESULTS_DIR TOKENS CHIPS

Exits 1 if a result is missing, or if kernels were not assembled for another reason than that NVIDIA's tools are not there.
"""

import json
import os
import re
import sys
from pathlib import Path

# Heading, results of nag-run, report of nagc, entry in the report.
ROWS = (
    ("residual form, C = 8", "residual", "residual", "update"),
    ("lane form, C = 8", "lanes", "lanes", "update"),
    ("residual form, no modulator", "residual-alone", "no_modulator", "residual"),
    ("lane form, no modulator", "lanes-alone", "no_modulator", "lanes"),
)


def read_run(path):
    """Error and allowance of the rows, GB/s and share of nag-run's output."""
    text = path.read_text()
    error = re.search(r"^result 0: .* ([\d.e+-]+) units of ([\d.e+-]+) allowed .*: ok$", text, re.M)
    rate = re.search(r"^time: .* ([\d.]+) GB/s$", text, re.M)
    copy = re.search(r"^copy ([\d.]+) GB/s with (\d+) threads?, share ([\d.]+)(.*)$", text, re.M)
    if not (error and rate and copy):
        raise ValueError(f"{path}: not what nag-run prints:\n{text}")
    return {"error": float(error[1]), "allowed": float(error[2]), "rate": float(rate[1]), "copy": float(copy[1]),
            "threads": int(copy[2]), "share": float(copy[3]), "note": copy[4].strip()}


def read_report(path, entry):
    """Registers, shared memory and spills of the entry's wide kernel for each chip."""
    kernels = [kernel for kernel in json.loads(path.read_text())["kernels"] if kernel["entry"] == entry]
    kernel, wide = max(((kernel, function) for kernel in kernels for function in kernel["functions"]),
                       key=lambda pair: max(pair[1]["access_bytes"]))
    return {chip["chip"]: (chip["registers"], chip["static_shared_bytes"] + kernel["dynamic_shared_bytes"],
                           chip["spill_load_bytes"] + chip["spill_store_bytes"]) for chip in wide["chips"]}


def lacks_tools(message):
    """Whether nagc failed for want of a part of NVIDIA's toolkit."""
    return re.search(r"cannot find (ptxas|libdevice)", message) is not None


def print_table(head, rows):
    widths = [max(map(len, column)) for column in zip(head, *rows)]
    for cells in [head, ["-" * width for width in widths], *rows]:
        first, *rest = (cell.ljust(width) if i == 0 else cell.rjust(width)
                        for i, (cell, width) in enumerate(zip(cells, widths)))
        print("  ".join([first, *rest]).rstrip())


def get_processor():
    try:
        with open("/proc/cpuinfo") as info:
            names = [line.split(":", 1)[1].strip() for line in info if line.startswith("model name")]
        return names[0] if names else "unknown processor"
    except OSError:
        return "unknown processor"


def main():
    results, tokens, chips = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3].split(",")
    table, notes, wrong = [], set(), False
    for heading, run, report, entry in ROWS:
        measured = read_run(results / f"{run}.txt")
        if measured["note"]:
            notes.add(f"share {measured['note']}")
        cells = [heading, f"{measured['error']:.3f} of {measured['allowed']:.3f}", f"{measured['rate']:.1f}",
                 f"{measured['copy']:.1f}", f"{100 * measured['share']:.0f} %"]
        try:
            resources = read_report(results / f"{report}.json", entry)
            cells += [" / ".join(map(str, resources[chip])) for chip in chips]
        except OSError:
            message = (results / f"{report}.err").read_text().splitlines()
            first = next((line for line in message if "error:" in line), "nagc left no report and no message")
            notes.add(f"no cubins: {first.split('error:')[-1].strip()}")
            wrong |= not lacks_tools(first)
            cells += ["-"] * len(chips)
        table.append(cells)

    print(f"NAG update, d = 4096, bf16, {tokens} tokens, on {get_processor()} with {measured['threads']} threads")
    print_table(["", "error, units", "GB/s", "copy", "share", *chips], table)
    print("""
error  largest over all rows against the float64 reference, and what is allowed there, in distances of bf16 neighbours;
       an element that is the exact value rounded to bf16 counts as none
GB/s   bytes that the entry must read and write, once each, by the median time; caches hold other data before each run
copy   GB/s of a memory copy by as many threads, taking turns with the runs; bytes read and bytes written both count
share  GB/s of the entry over GB/s of the copy
sm_*   registers a thread / shared memory of a block in bytes / spills in bytes, of the kernel for aligned rows,
       by ptxas; nothing was run on a GPU""")
    load = os.getloadavg()[0]
    # The measured threads are part of the load, and so is what is left of a build.
    if load > 2 * measured["threads"] + 1:
        notes.add(f"load average {load:.0f}: other programs were using the machine, so GB/s and share are low or uneven")
    for note in sorted(notes):
        print(f"note   {note}")
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, ValueError, KeyError, IndexError) as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(1)
