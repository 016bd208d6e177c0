# Shell functions that the tools share. Source it: . "$(dirname "$0")/lib.sh"
# shellcheck shell=bash

set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export ROOT

# Uses colours only on a terminal, unless NO_COLOR is set.
if [ -t 2 ] && [ -z "${NO_COLOR:-}" ]; then
    BOLD=$'\e[1m' DIM=$'\e[2m' RED=$'\e[31m' GREEN=$'\e[32m' YELLOW=$'\e[33m' PLAIN=$'\e[0m'
else
    BOLD='' DIM='' RED='' GREEN='' YELLOW='' PLAIN=''
fi

STEP=0
STEPS=${STEPS:-}
STARTED=$SECONDS
STEP_TITLE='' STEP_STARTED=$SECONDS

# duration SECONDS: 3725 -> 1:02:05, 65 -> 1:05
duration() {
    local s=$1
    if [ $s -ge 3600 ]; then
        printf '%d:%02d:%02d' $((s / 3600)) $((s / 60 % 60)) $((s % 60))
    else
        printf '%d:%02d' $((s / 60)) $((s % 60))
    fi
}

# Time since the start of this program.
elapsed() { duration $((SECONDS - STARTED)); }

# end_step: prints the duration of the current step. If MILLRACE_DURATIONS names a file, a line "seconds, program, step" is appended to it.
end_step() {
    [ -n "$STEP_TITLE" ] || return 0
    local took=$((SECONDS - STEP_STARTED))
    note "took $(duration $took)"
    [ -z "${MILLRACE_DURATIONS:-}" ] || printf '%d\t%s\t%s\n' $took "$(basename "$0")" "$STEP_TITLE" >>"$MILLRACE_DURATIONS"
    STEP_TITLE=''
}
trap end_step EXIT

# step TEXT: headline of the next step, numbered, with the time since the start. STEPS, if set, is their number.
step() {
    end_step
    STEP_TITLE=$* STEP_STARTED=$SECONDS
    STEP=$((STEP + 1))
    printf '%s[%d%s %s]%s %s\n' "$BOLD" "$STEP" "${STEPS:+/$STEPS}" "$(elapsed)" "$PLAIN" "$*" >&2
}

note() { printf '    %s%s%s\n' "$DIM" "$*" "$PLAIN" >&2; }
good() { printf '    %s%s%s\n' "$GREEN" "$*" "$PLAIN" >&2; }
warn() { printf '    %s%s%s\n' "$YELLOW" "$*" "$PLAIN" >&2; }

# die TEXT [STATUS]: prints the reason and exits, by default with status 1.
die() {
    printf '%s%s: %s%s\n' "$RED" "$(basename "$0")" "$1" "$PLAIN" >&2
    exit "${2:-1}"
}

# Puts the Swift toolchain on the path if it is installed but not on the path.
find_swift() {
    command -v swift >/dev/null && return 0
    local bin
    for bin in /opt/swift/usr/bin "$HOME/.local/share/swiftly/bin" /usr/local/swift/usr/bin; do
        if [ -x "$bin/swift" ]; then
            PATH="$bin:$PATH"
            export PATH
            return 0
        fi
    done
    return 1
}

# Parallel compile jobs: MILLRACE_JOBS, otherwise the number of processors.
jobs_flag() { printf '%s' "-j ${MILLRACE_JOBS:-$(nproc)}"; }

# run_swift ARGUMENTS: runs swift, under MILLRACE_RUN if a machine needs a wrapper (a queue, nice).
run_swift() {
    # shellcheck disable=SC2086
    ${MILLRACE_RUN:-} swift "$@"
}

# swift_build LOG ARGUMENTS...: `swift build` with its output in LOG. Prints its progress at most every ten seconds (MILLRACE_PROGRESS), and
# every diagnostic. If it fails, prints the end of LOG and ends the program.
swift_build() {
    local log=$1 status
    shift
    set +e
    # shellcheck disable=SC2046
    run_swift build "$@" $(jobs_flag) 2>&1 | tee "$log" | build_progress
    status=${PIPESTATUS[0]}
    set -e
    [ "$status" = 0 ] || { tail -30 "$log" >&2; die "the build failed ($log)"; }
}

# A loop instead of awk, which reads a pipe in blocks: minutes of progress would be printed at once.
build_progress() {
    local began=$SECONDS last=$SECONDS line
    while IFS= read -r line; do
        case $line in
        '['[0-9]*/*']'* | Fetching* | Cloning* | 'Creating working copy'*)
            [ $((SECONDS - last)) -ge "${MILLRACE_PROGRESS:-10}" ] || continue
            last=$SECONDS
            note "$(duration $((SECONDS - began)))  ${line:0:100}"
            ;;
        *': error:'* | *': warning:'* | error:*) printf '%s\n' "$line" >&2 ;;
        esac
    done
}

usage_if_asked() {
    local a
    for a in "$@"; do
        case $a in
        -h | --help)
            # The comment at the head of the script is its manual.
            sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p}' "$0"
            exit 0
            ;;
        esac
    done
}
