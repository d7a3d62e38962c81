#!/usr/bin/env python3
"""Measures nag-bench's kernels beside what a user would otherwise run, on the same rows, one after the other.

    scripts/bench_peers.py [--rows 16384] [--width 4096] [--components 8] [--json FILE]

Peers, each named as absent with the reason where it cannot run: PyTorch, eager and compiled, with the formula of the
update as one would write it (bf16 rows, f32 arithmetic), and with the fused add and RMSNorm of the pre-norm block that a
NAG block replaces; Liger-Kernel and quack, which need a CUDA device. PyTorch is no dependency of this project: give a
Python that has it as the interpreter. Times are medians; the floor is what must move, at the triad's rate, which
nag-bench measures before and after the peers.
"""

import argparse
import importlib.util
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def run_nag_bench(args, kernels, components):
    """Its results, and what it remarks on them."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "bench.json")
        command = [args.nag_bench, f"--kernels={kernels}", f"--widths={args.width}", "--types=bf16",
                   f"--components={components}", f"--rows={args.rows}", f"--repeat={args.repeat}", f"--json={out}"]
        table = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        remarks = [line.strip() for line in table.splitlines() if "not cold" in line or "other work runs" in line]
        with open(out) as file:
            return json.load(file), remarks


def absent_peers():
    """Peers that are not measured, each with its reason."""
    for name, module in (("Liger-Kernel", "liger_kernel"), ("quack", "quack")):
        if importlib.util.find_spec(module) is None:
            yield name, f"no module '{module}'"
        else:
            yield name, "needs a CUDA device, and this script measures on the CPU"


def make_formulas(torch):
    def gates(direction, w, bias, logits, beta):
        products = direction @ w.float().T + bias
        return (torch.softmax(logits, 0) * torch.sigmoid(products)).sum(-1, keepdim=True) ** beta

    def turn(direction, f, amount):
        centered = f.float() - f.float().mean(-1, keepdim=True)
        orthogonal = centered - (centered * direction).mean(-1, keepdim=True) * direction
        unit = orthogonal * torch.rsqrt(orthogonal.square().mean(-1, keepdim=True) + 1e-12)
        return (direction + amount * unit) * torch.rsqrt(1 + amount * amount)

    def normalize(x):
        return x.float() * torch.rsqrt(x.float().square().mean(-1, keepdim=True) + 1e-12)

    def update(D, s, f, alpha):
        amount = alpha.expand(D.shape[0], 1)
        return turn(normalize(D), f, amount).to(D.dtype), s + 0.5 * torch.log1p(amount * amount).squeeze(-1)

    def modulated(D, s, f, alpha, w, bias, logits, beta):
        direction = normalize(D)
        m = gates(direction, w, bias, logits, beta)
        amount = alpha * m
        return turn(direction, f, amount).to(D.dtype), s + 0.5 * torch.log1p(amount * amount).squeeze(-1), m

    def add_rms_norm(R, f, gain):
        total = R.float() + f.float()
        return total.to(R.dtype), (normalize(total) * gain).to(R.dtype)

    return update, modulated, add_rms_norm


def measure(function, arguments, repeat):
    function(*arguments)
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        function(*arguments)
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)


def measure_torch(torch, args):
    """Yields name, milliseconds, and the bytes that must move."""
    T, d, C = args.rows, args.width, args.components
    generator = torch.Generator().manual_seed(0)
    rows = lambda: torch.randn(T, d, generator=generator).to(torch.bfloat16)
    D, f, s = rows(), rows(), torch.zeros(T)
    alpha, beta = torch.tensor(0.7), torch.tensor(0.5)
    w = (0.02 * torch.randn(C, d, generator=generator)).to(torch.bfloat16)
    bias, logits, gain = torch.zeros(C), torch.zeros(C), torch.ones(d)
    update, modulated, add_rms_norm = make_formulas(torch)
    cases = [("update_lanes", update, (D, s, f, alpha), T * (3 * d * 2 + 8)),
             (f"update_lanes/C:{C}", modulated, (D, s, f, alpha, w, bias, logits, beta),
              T * (3 * d * 2 + 12) + C * d * 2),
             ("add + RMSNorm", add_rms_norm, (D, f, gain), T * 4 * d * 2 + d * 4)]
    with torch.no_grad():
        for name, function, arguments, size in cases:
            yield f"PyTorch eager: {name}", measure(function, arguments, args.repeat), size
            try:
                milliseconds = measure(torch.compile(function), arguments, args.repeat)
            except Exception as error:  # Without a C++ compiler, say: torch has many names for what may be missing.
                reason = (str(error).strip().splitlines() or [""])[0]
                print(f"absent: PyTorch torch.compile: {name} ({type(error).__name__}: {reason})")
                continue
            yield f"PyTorch torch.compile: {name}", milliseconds, size


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=16384)
    parser.add_argument("--width", type=int, default=4096)
    parser.add_argument("--components", type=int, default=8)
    parser.add_argument("--repeat", type=int, default=10)
    parser.add_argument("--nag-bench", default=str(ROOT / "build/bin/nag-bench"))
    parser.add_argument("--json", help="write names, milliseconds and bytes")
    args = parser.parse_args()
    if min(args.rows, args.width, args.components, args.repeat) < 1:
        parser.error("sizes and --repeat must be at least 1")

    try:
        import torch
    except ImportError as error:
        torch = None
        print(f"absent: PyTorch ({error})")
    for name, reason in absent_peers():
        print(f"absent: {name} ({reason})")

    ours, remarks = run_nag_bench(args, "update_lanes,boundary", f"0,{args.components}")
    triads = [float(ours["context"]["triad_GB_per_s"])]
    lines = [(f"ours: {b['name'].removeprefix('cpu/').removesuffix('/cold')}", b["real_time"], b["floor_MB"] * 1e6)
             for b in ours["benchmarks"] if b["name"].endswith("/cold")]
    if torch is not None:
        lines += measure_torch(torch, args)
        again, more = run_nag_bench(args, "update_lanes", "0")
        triads.append(float(again["context"]["triad_GB_per_s"]))
        remarks += [remark for remark in more if remark not in remarks]
    if max(triads) > 1.15 * min(triads):
        remarks.append(f"the triad went from {triads[0]:.1f} to {triads[1]:.1f} GB/s: the peers are hard to compare")
    triad = max(triads)
    print(f"{args.rows} rows of {args.width} bf16; triad {triad:.1f} GB/s")
    for remark in remarks:
        print(f"  {remark}")
    print(f"{'':52} {'ms':>9} {'floor ms':>9} {'share of triad':>15}")
    for name, milliseconds, size in lines:
        floor = size * 1e-6 / triad
        print(f"{name:52} {milliseconds:9.2f} {floor:9.2f} {floor / milliseconds:15.2f}")
    if args.json:
        with open(args.json, "w") as file:
            json.dump([dict(name=n, milliseconds=m, bytes=b) for n, m, b in lines], file, indent=2)


if __name__ == "__main__":
    sys.exit(main())
