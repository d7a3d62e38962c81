#!/usr/bin/env bash
# Configures with the CMake preset `default` and builds into build/. Extra arguments go to CMake's configure step.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"
cd -- "$NAG_ROOT"

for tool in cmake ninja clang++-22; do
  command -v "$tool" >/dev/null || die "$tool not found: run scripts/setup.sh"
done

stage configure cmake --preset default "$@"
stage build cmake --build --preset default
