# Shell pieces that the tools share. Source it: . "$(dirname "$0")/lib.sh"
# shellcheck shell=bash

set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export ROOT

# Colours only where somebody looks: on a terminal, unless NO_COLOR is set.
if [ -t 2 ] && [ -z "${NO_COLOR:-}" ]; then
    BOLD=$'\e[1m' DIM=$'\e[2m' RED=$'\e[31m' GREEN=$'\e[32m' YELLOW=$'\e[33m' PLAIN=$'\e[0m'
else
    BOLD='' DIM='' RED='' GREEN='' YELLOW='' PLAIN=''
fi

STEP=0
STEPS=${STEPS:-}
STARTED=$SECONDS

# 3725 -> 1:02:05, 65 -> 1:05
elapsed() {
    local s=$((SECONDS - STARTED))
    if [ $s -ge 3600 ]; then
        printf '%d:%02d:%02d' $((s / 3600)) $((s / 60 % 60)) $((s % 60))
    else
        printf '%d:%02d' $((s / 60)) $((s % 60))
    fi
}

# step TEXT: headline of the next step, numbered, with the time since the start. STEPS, where set, is their number.
step() {
    STEP=$((STEP + 1))
    printf '%s[%d%s %s]%s %s\n' "$BOLD" "$STEP" "${STEPS:+/$STEPS}" "$(elapsed)" "$PLAIN" "$*" >&2
}

note() { printf '    %s%s%s\n' "$DIM" "$*" "$PLAIN" >&2; }
good() { printf '    %s%s%s\n' "$GREEN" "$*" "$PLAIN" >&2; }
warn() { printf '    %s%s%s\n' "$YELLOW" "$*" "$PLAIN" >&2; }

# die TEXT [STATUS]: says why and ends, by default with 1.
die() {
    printf '%s%s: %s%s\n' "$RED" "$(basename "$0")" "$1" "$PLAIN" >&2
    exit "${2:-1}"
}

# Puts the Swift toolchain on the path where it is installed but not on it.
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

# Parallel compile jobs: MILLRACE_JOBS, else the number of processors.
jobs_flag() { printf '%s' "-j ${MILLRACE_JOBS:-$(nproc)}"; }

# run_swift ARGUMENTS: swift, under MILLRACE_RUN where a machine needs a wrapper (a queue, nice).
run_swift() {
    # shellcheck disable=SC2086
    ${MILLRACE_RUN:-} swift "$@"
}

usage_if_asked() {
    local a
    for a in "$@"; do
        case $a in
        -h | --help)
            # The comment block at the top of the script is its manual.
            sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p}' "$0"
            exit 0
            ;;
        esac
    done
}
