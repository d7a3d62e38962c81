#!/usr/bin/env bash
# Installs what the build and the tests need on Debian 12: Debian's packages with apt-get (as root, or through sudo), and
# the Python packages of scripts/requirements.txt in build/venv. What is there already is left alone, so without anything
# to install it needs neither root nor the network.
#
#   scripts/setup.sh [--dev]      --dev adds what scripts/check.sh can use: clang-tidy-22 and shellcheck
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

NAG_LOG_LINES=20 # what failed is at the end
packages=(
  llvm-22-dev libmlir-22-dev mlir-22-tools llvm-22-tools clang-22 lld-22 libomp-22-dev clang-format-22
  ccache ninja-build cmake libgtest-dev
  python3 python3-venv
  python3-psutil # lit's time limit for a test
)
case "${1-}" in
  '') ;;
  --dev) packages+=(clang-tidy-22 shellcheck) ;;
  *) die "unknown argument '$1'; usage: scripts/setup.sh [--dev]" ;;
esac

installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }
has_candidate() { [[ $(apt-cache policy -- "$1" 2>/dev/null) == *'  Candidate: '[!\(]* ]]; }

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  else
    sudo -- "$@"
  fi
}

apt_update() { as_root apt-get -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 -o APT::Update::Error-Mode=any update -q; }
apt_install() {
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 install -q -y --no-install-recommends "$@"
}

install_packages() {
  local package missing=() absent=()
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    die "this script needs Debian's apt-get; on another system install the equivalents of: ${packages[*]}"
  fi
  for package in "${packages[@]}"; do
    installed "$package" || missing+=("$package")
  done
  if [ ${#missing[@]} -eq 0 ]; then
    printf '%-10s all installed\n' packages
    return
  fi
  printf '%-10s to install: %s\n' packages "${missing[*]}"
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || die "installing packages needs root, and there is no sudo: run scripts/setup.sh as root"
    sudo -v || die "installing packages needs root, and sudo refused: run scripts/setup.sh as root"
  fi

  # A third party's broken source must not stop us: what counts is whether our packages can be found.
  stage apt-update apt_update || printf 'warning: apt-get update failed; going on with the lists that are there\n' >&2
  for package in "${missing[@]}"; do
    has_candidate "$package" || absent+=("$package")
  done
  if [ ${#absent[@]} -gt 0 ]; then
    die "not found in the sources of apt: ${absent[*]}
  Debian 12 has the packages of LLVM 22 in its security suite. See that /etc/apt/sources.list or a file in
  /etc/apt/sources.list.d names 'bookworm' and 'bookworm-security', both with 'main', and run this script again."
  fi
  stage packages retry apt_install "${missing[@]}" || die "apt-get could not install: ${missing[*]}"
}

# Debian's python3 has the python3-venv that goes with it; another one in PATH may not.
make_venv() {
  local python=/usr/bin/python3
  [ -x "$python" ] || python=python3
  rm -rf -- "$NAG_VENV"
  "$python" -m venv -- "$NAG_VENV"
}
install_requirements() {
  "$NAG_VENV/bin/python" -m pip install --quiet --disable-pip-version-check --no-input \
    --only-binary :all: -r "$NAG_ROOT/scripts/requirements.txt"
}
fill_venv() {
  # Written last, so an interrupted run is not taken for a complete one.
  local stamp=$NAG_VENV/requirements.txt
  if cmp -s -- "$NAG_ROOT/scripts/requirements.txt" "$stamp" && "$NAG_VENV/bin/python" -c 'import numpy, ml_dtypes' 2>/dev/null; then
    printf '%-10s up to date\n' python
    return
  fi
  stage venv make_venv
  stage python retry install_requirements || die "the packages of scripts/requirements.txt could not be installed from PyPI"
  cp -- "$NAG_ROOT/scripts/requirements.txt" "$stamp"
}

# The CUDA toolkit is NVIDIA's to install: say only what is missing without it.
report_cuda() {
  local candidate ptxas=''
  for candidate in ${CUDA_HOME:+"$CUDA_HOME/bin/ptxas"} ${CUDA_PATH:+"$CUDA_PATH/bin/ptxas"} \
    "$(command -v ptxas || true)" /usr/local/cuda/bin/ptxas; do
    if [ -x "$candidate" ]; then
      ptxas=$candidate
      break
    fi
  done
  if [ -n "$ptxas" ]; then
    printf '%-10s %s (%s)\n' CUDA "$("$ptxas" --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')" "$ptxas"
  else
    printf '%-10s toolkit not found (CUDA_HOME, CUDA_PATH, PATH): no cubin and no fatbin, and tests that need ptxas are skipped\n' CUDA
  fi
}

install_packages
fill_venv
report_cuda
