# Runs of unit tests, some in parallel, and second runs of failed tests. Source it after lib.sh.
# shellcheck shell=bash

# Test program; names in the array FAILED appear in the last lines of tools/test.
: "${TESTS:=$ROOT/.build/debug/millracePackageTests.xctest}"
# Seconds after which a run counts as hung.
: "${UNIT_TESTS_LIMIT:=1500}"

# Unit tests that needed a second attempt: lines "run, test" with a tab between them.
AGAIN=()

# Processes of test runs, and processes that print their output, by name.
declare -A BESIDE=() PRINTING=()

# start_unit_tests NAME ARGUMENTS...: starts a run. Prints failures at once; out/NAME.log has the whole output, out/NAME.xml the results.
# It starts the program itself, because `swift test` allows only one run at a time.
start_unit_tests() {
    local name=$1
    shift
    rm -f "out/$name.xml"
    : >"out/$name.log"
    # shellcheck disable=SC2086
    timeout --kill-after=10 "$UNIT_TESTS_LIMIT" ${MILLRACE_RUN:-} "$TESTS" --testing-library swift-testing --xunit-output "out/$name.xml" \
        "$@" >"out/$name.log" 2>&1 &
    BESIDE[$name]=$!
    tail -n +1 -f -s 0.2 --pid=$! "out/$name.log" | { grep --line-buffered -E '✘|error: |recorded an issue|➜.*skipped|Test run with' || true; } >&2 &
    PRINTING[$name]=$!
}

# unit_tests_end NAME: waits for a run. Status 1 if a test failed, or if the run crashed or hung.
unit_tests_end() {
    local name=$1 status=0
    wait "${BESIDE[$name]}" || status=$?
    unset "BESIDE[$name]"
    wait "${PRINTING[$name]}" || true
    unset "PRINTING[$name]"
    slowest_unit_tests "$name"
    # 137: the program ignored SIGTERM, too.
    [ $status != 124 ] && [ $status != 137 ] || echo "error: the run did not end within $UNIT_TESTS_LIMIT s" >>"out/$name.log"
    [ $status = 0 ] || return 1
    good "$name: $(grep -o 'Test run with.*' "out/$name.log" | tail -1)"
}

# unit_tests NAME ARGUMENTS...: starts a run and waits for it.
unit_tests() {
    start_unit_tests "$@"
    unit_tests_end "$1"
}

# Prints the slowest tests of a run.
slowest_unit_tests() {
    python3 - "out/$1.xml" 2>/dev/null <<'PYTHON' | while IFS= read -r line; do note "$line"; done || true
import sys, xml.etree.ElementTree as tree
tests = [(float(test.get("time", 0)), test) for test in tree.parse(sys.argv[1]).iter("testcase")]
longest = sorted(tests, key=lambda item: -item[0])[:8]
names = [(test.get("classname").rpartition(".")[2], test.get("name").partition("(")[0], seconds) for seconds, test in longest]
print("longest: " + ", ".join(f"{suite}.{name} {seconds:.1f} s" for suite, name, seconds in names))
PYTHON
}

# unit_test_names NAME [failed]: prints the tests of a run, or its failed ones, as patterns for a filter; one per line.
unit_test_names() {
    python3 - "out/$1.xml" "${@:2}" 2>/dev/null <<'PYTHON'
import re, sys, xml.etree.ElementTree as tree
for test in tree.parse(sys.argv[1]).iter("testcase"):
    if sys.argv[2:] and test.find("failure") is None:
        continue
    # A filter is matched against Module.Suite/SuiteWithin/test(); the report has points between suites.
    module, _, suites = test.get("classname").partition(".")
    print("^" + re.escape(f"{module}." + "/".join([*filter(None, suites.split(".")), test.get("name")])))
PYTHON
}

# unit_tests_again NAME RUN...: runs the failed tests of these runs once more, one by one, with nothing in parallel. A run that crashed or
# hung fails without a second run, and so do all runs if more than ten tests failed.
unit_tests_again() {
    local name=$1 run names failed='' broken=() stumbled=()
    shift
    for run in "$@"; do
        if names=$(unit_test_names "$run" failed) && [ -n "$names" ]; then
            failed+=${failed:+$'\n'}$names
            stumbled+=("$run")
        else
            broken+=("$run")
        fi
    done
    if [ ${#stumbled[@]} -gt 0 ]; then
        if [ "$(wc -l <<<"$failed")" -gt 10 ]; then
            broken+=("${stumbled[@]}")
        else
            warn "once more: ${failed//$'\n'/ }"
            while IFS= read -r names; do AGAIN+=("unit tests"$'\t'"$names"); done < <(sed 's/^^//; s/\\//g' <<<"$failed")
            # A filter without a match fails no test.
            unit_tests "$name" --no-parallel --filter "${failed//$'\n'/|}" &&
                [ -z "$(comm -23 <(sort <<<"$failed") <(unit_test_names "$name" | sort))" ] || broken+=("$name")
        fi
    fi
    for run in "${broken[@]}"; do unit_fails "$run"; done
}

# second_attempts LIMIT FILE...: prints a table of the unit tests, and of the cases in these results, that needed a second attempt. More than LIMIT of
# them are a failure: a run would otherwise stay green while more and more of its tests depend on luck.
second_attempts() {
    local limit=$1 rows=() row run case check
    shift
    rows=("${AGAIN[@]}")
    while IFS= read -r row; do rows+=("$row"); done < <(python3 "$ROOT/tools/attempts.py" "$@")
    [ ${#rows[@]} -gt 0 ] || return 0
    warn "cases that needed a second attempt: ${#rows[@]}, at most $limit may"
    while IFS=$'\t' read -r run case check; do
        printf '        %-12s %s%s\n' "$run" "$case" "${check:+: $check}" >&2
    done < <(printf '%s\n' "${rows[@]}")
    [ ${#rows[@]} -le "$limit" ] || FAILED+=("${#rows[@]} cases needed a second attempt, at most $limit may (--second-attempts)")
}

# unit_fails NAME: records the tests of a run as failed; lines of its log name the failures.
unit_fails() {
    FAILED+=("unit tests (out/$1.log)")
    while IFS= read -r line; do FAILED+=("    $line"); done < <(
        grep -aE '✘ Test.*recorded an issue|error: |Fatal error|^\*\*\* ' "out/$1.log" | cut -c -300 | head -20
    )
}

# stop_beside: ends the background programs that are still running.
stop_beside() { [ ${#BESIDE[@]} = 0 ] || kill "${BESIDE[@]}" 2>/dev/null || true; }
