#!/usr/bin/env bash
# What a change must pass before it is committed: format, scripts, optionally clang-tidy, then scripts/test.sh.
#
#   scripts/check.sh [--tidy]     --tidy runs clang-tidy on every source as well (minutes)
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"
cd -- "$NAG_ROOT"

tidy=no
case "${1-}" in
  '') ;;
  --tidy) tidy=yes ;;
  *) die "unknown argument '$1'; usage: scripts/check.sh [--tidy]" ;;
esac

command -v clang-format-22 >/dev/null || die "clang-format-22 not found: run scripts/setup.sh"
git rev-parse --is-inside-work-tree >/dev/null || die "scripts/check.sh looks at the files that git tracks: run it in a clone"

check_format() { git ls-files -z -- '*.h' '*.c' '*.cpp' | xargs -0 -r clang-format-22 --dry-run --Werror; }
check_scripts() { git ls-files -z -- '*.sh' .ci/run | xargs -0 -r shellcheck -x --source-path=SCRIPTDIR; }
check_tidy() {
  git ls-files -z -- 'lib/*.cpp' 'tools/*.cpp' 'test/unit/*.cpp' |
    xargs -0 -r -n 1 -P "$(nproc)" clang-tidy-22 -p "$NAG_BUILD" --quiet --warnings-as-errors='*'
}

stage format check_format || die "run: git ls-files '*.h' '*.c' '*.cpp' | xargs clang-format-22 -i"
if command -v shellcheck >/dev/null; then
  stage scripts check_scripts
else
  printf '%-10s skipped: no shellcheck (scripts/setup.sh --dev installs it)\n' scripts
fi
if [ "$tidy" = yes ]; then
  command -v clang-tidy-22 >/dev/null || die "clang-tidy-22 not found: run scripts/setup.sh --dev"
  bash scripts/build.sh # clang-tidy needs the headers that TableGen makes
  stage tidy check_tidy
fi
exec bash scripts/test.sh
