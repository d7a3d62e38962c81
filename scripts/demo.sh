#!/usr/bin/env bash
# The first thing to run: sets up, builds, and does what this project is for. Compiles the update of a NAG sub-layer, 4,096
# wide in bf16 with C = 8, runs it on 16,384 tokens on this machine's CPU against the float64 reference, measures it beside a
# copy of memory, assembles it for three NVIDIA chips, and ends with a table of all that.
#
#   scripts/demo.sh [TOKENS]      TOKENS other than 16384 where memory or patience is short: 4 GiB and a minute here
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"
cd -- "$NAG_ROOT"

tokens=${1-16384}
[[ $tokens =~ ^[1-9][0-9]*$ ]] || die "expected a number of tokens, got '$tokens'; usage: scripts/demo.sh [TOKENS]"
chips=sm_80,sm_90,sm_100
out=$NAG_BUILD/demo

bash scripts/setup.sh
bash scripts/build.sh
rm -rf -- "$out"
mkdir -p -- "$out"

# run NAME FILE ENTRY: on the CPU, against the reference and then timed.
run() {
  "$NAG_BUILD/bin/nag-run" "examples/$2.mlir" --entry="$3" --target=cpu --rows="$tokens" --check --time --repeat=20 |
    tee -- "$out/$1.txt"
}
run_alone() {
  run residual-alone no_modulator residual
  run lanes-alone no_modulator lanes
}
# For the chips. A message instead of a report is for the table to tell: it is no failure where NVIDIA's tools are not there.
assemble() {
  local example
  for example in residual lanes no_modulator; do
    "$NAG_BUILD/bin/nagc" "examples/$example.mlir" --target=cuda --chip="$chips" --emit=none \
      --report=json --report-file="$out/$example.json" 2>"$out/$example.err" || sed -n 1p "$out/$example.err"
  done
}

NAG_LOG_LINES=40
stage residual run residual residual update
stage lanes run lanes lanes update
stage alone run_alone
stage assemble assemble

printf '\n'
python3 scripts/demo_table.py "$out" "$tokens" "$chips"
