#!/usr/bin/env python3
"""Plots nag-bench's results over the width of a row.

    build/bin/nag-bench --widths=1024,2048,4096,8192 --json=bench.json
    scripts/plot_bench.py bench.json bench.png

One line for each kernel, type and C: of the CPU's cold runs the share of the triad's bandwidth, with the limit at 1; of
simt's runs the bytes through memory over the floor.
"""

import argparse
import json
import re
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

PANELS = (
    ("cpu", "share_of_triad", "Share of the triad's bandwidth", "limit: the triad"),
    ("simt", "ratio", "Bytes moved over bytes that must move", "limit: the floor"),
)


def read_lines(benchmarks, target, counter):
    """The points of each line: {"update_lanes, bf16, C = 8": [(4096, 0.7), ...]}."""
    lines = {}
    for benchmark in benchmarks:
        name = re.fullmatch(rf"{target}/(\w+)/d:(\d+)/(\w+)(?:/C:(\d+))?(?:/cold)?", benchmark["name"])
        if not name or counter not in benchmark:
            continue
        label = f"{name[1]}, {name[3]}" + (f", C = {name[4]}" if name[4] else "")
        lines.setdefault(label, []).append((int(name[2]), benchmark[counter]))
    return {label: sorted(points) for label, points in lines.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", help="JSON of nag-bench")
    parser.add_argument("image", help="where to draw: .png, .svg or .pdf")
    args = parser.parse_args()
    try:
        with open(args.results) as file:
            content = json.load(file)
        benchmarks, context = content["benchmarks"], content["context"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        parser.error(f"{args.results}: not what nag-bench writes: {error}")
    panels = [(panel, read_lines(benchmarks, panel[0], panel[1])) for panel in PANELS]
    panels = [(panel, lines) for panel, lines in panels if lines]
    if not panels:
        parser.error(f"{args.results}: no runs on the CPU or in simt to draw")

    figure, axes = plt.subplots(1, len(panels), figsize=(7 * len(panels), 4.5), squeeze=False)
    for axis, ((target, _, title, limit), lines) in zip(axes[0], panels):
        for label, points in sorted(lines.items()):
            axis.plot(*zip(*points), marker="o", label=label)
        axis.axhline(1, color="black", linestyle="--", linewidth=1, label=limit)
        widths = sorted({width for points in lines.values() for width, _ in points})
        axis.set_xscale("log", base=2)
        axis.set_xticks(widths, [f"{width:,}" for width in widths])
        axis.minorticks_off()
        axis.set_ylim(bottom=0)
        axis.set_xlabel("elements of a row")
        axis.set_ylabel(title)
        on = f" ({context['cpu']}, triad {context['triad_GB_per_s']} GB/s)" if target == "cpu" else ""
        axis.set_title(target + on)
        axis.legend(fontsize="small")
    figure.tight_layout()
    figure.savefig(args.image, dpi=150)


if __name__ == "__main__":
    sys.exit(main())
