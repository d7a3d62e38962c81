# shellcheck shell=bash disable=SC2034
# Shared by the scripts beside it: where things are, and stages that print one line each.
# Sourced, not run; the caller has set -euo pipefail.

NAG_ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
NAG_BUILD=$NAG_ROOT/build
NAG_LOGS=$NAG_BUILD/logs
NAG_VENV=$NAG_BUILD/venv

die() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# retry COMMAND...: up to three times, for commands that use the network.
retry() {
  local attempt
  for attempt in 1 2 3; do
    "$@" && return 0
    if [ "$attempt" -lt 3 ]; then
      sleep $((attempt * 10))
    fi
  done
  return 1
}

# Prints Ninja's last [n/m] in LOG now and then: rewrites one line on a terminal, else a line a minute.
show_progress() {
  local name=$1 log=$2 seen='' now interval=60
  [ -t 1 ] && interval=1
  # The sleep must not hold the caller's pipe open once the stage is over.
  while sleep "$interval" >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do
    now=$(tail -c 4096 -- "$log" 2>/dev/null | grep -aoE '^\[[0-9]+/[0-9]+\]' | tail -n 1) || continue
    [ "$now" = "$seen" ] && continue
    seen=$now
    if [ -t 1 ]; then
      printf '\r%-10s %s ' "$name" "$now"
    else
      printf '%-10s %s\n' "$name" "$now"
    fi
  done
}

# stage NAME COMMAND...: runs the command with its output in build/logs/NAME.log and prints one line with the seconds it
# took. On failure prints the end of the log and returns the command's status.
stage() {
  local name=$1 status=0 start=$SECONDS ticker log
  shift
  log=$NAG_LOGS/$name.log
  mkdir -p -- "$NAG_LOGS"
  : >"$log"
  [ -t 1 ] && printf '%-10s ' "$name"
  show_progress "$name" "$log" &
  ticker=$!
  "$@" >"$log" 2>&1 </dev/null || status=$?
  kill "$ticker" 2>/dev/null || true
  wait "$ticker" 2>/dev/null || true
  [ -t 1 ] && printf '\r\033[K'
  if [ "$status" -eq 0 ]; then
    printf '%-10s %d s\n' "$name" $((SECONDS - start))
  else
    printf '%-10s failed after %d s; the end of %s:\n' "$name" $((SECONDS - start)) "$log"
    tail -n "${NAG_LOG_LINES:-200}" -- "$log"
  fi
  return "$status"
}
