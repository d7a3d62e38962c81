#!/usr/bin/env bash
# Sets up, builds and runs every test: lit, GoogleTest, and whether docs/reference still says what the .td files say.
# Goes on after a failed suite, ends with 'N passed, N failed' over all of them, and exits non-zero unless all passed.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"
cd -- "$NAG_ROOT"

# lit puts paths into its commands as they are.
[[ $NAG_ROOT != *[[:space:]]* ]] || die "lit cannot run tests in a folder whose path has a space: clone to another than $NAG_ROOT"

bash scripts/setup.sh
bash scripts/build.sh
stage build-unit cmake --build --preset default --target nag-unit-tests

results=$NAG_BUILD/test/results
rm -rf -- "$results"
failed=()
export NAG_LOG_LINES=1000
stage lit cmake --build --preset default --target check-nag-lit || failed+=(lit)
stage unit cmake --build --preset default --target check-nag-unit || failed+=(unit)
stage docs cmake --build --preset default --target nag-docs-check || failed+=(docs)

# The sums come from the results that the runners wrote, the verdict from both.
python3 scripts/summary.py "$results" "${failed[@]}"
