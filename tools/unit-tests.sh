# Runs of unit tests, some of them beside each other, and the tests that failed once more. Source it after lib.sh.
# shellcheck shell=bash

# Test program; names in the array FAILED go into the last lines of tools/test.
: "${TESTS:=$ROOT/.build/debug/millracePackageTests.xctest}"
# Seconds after which a run counts as hung.
: "${UNIT_TESTS_LIMIT:=1500}"

# Processes that were started, and those that print their output, by name.
declare -A BESIDE=() PRINTING=()

# start_unit_tests NAME ARGUMENTS...: starts a run. Prints what fails at once; out/NAME.log has everything, out/NAME.xml the results.
# The program itself and not `swift test`, which lets only one run at a time begin.
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
    # 137: it did not heed SIGTERM either.
    [ $status != 124 ] && [ $status != 137 ] || echo "error: the run did not end within $UNIT_TESTS_LIMIT s" >>"out/$name.log"
    [ $status = 0 ] || return 1
    good "$name: $(grep -o 'Test run with.*' "out/$name.log" | tail -1)"
}

# unit_tests NAME ARGUMENTS...: both.
unit_tests() {
    start_unit_tests "$@"
    unit_tests_end "$1"
}

# The tests of a run that took longest.
slowest_unit_tests() {
    python3 - "out/$1.xml" 2>/dev/null <<'PYTHON' | while IFS= read -r line; do note "$line"; done || true
import sys, xml.etree.ElementTree as tree
tests = [(float(test.get("time", 0)), test) for test in tree.parse(sys.argv[1]).iter("testcase")]
longest = sorted(tests, key=lambda item: -item[0])[:8]
names = [(test.get("classname").rpartition(".")[2], test.get("name").partition("(")[0], seconds) for seconds, test in longest]
print("longest: " + ", ".join(f"{suite}.{name} {seconds:.1f} s" for suite, name, seconds in names))
PYTHON
}

# unit_test_names NAME [failed]: the tests of a run, or those of them that failed, as patterns for a filter; a line each.
unit_test_names() {
    python3 - "out/$1.xml" "${@:2}" 2>/dev/null <<'PYTHON'
import re, sys, xml.etree.ElementTree as tree
for test in tree.parse(sys.argv[1]).iter("testcase"):
    if sys.argv[2:] and test.find("failure") is None:
        continue
    # A filter is held against Module.Suite/SuiteWithin/test(); the report has points between suites.
    module, _, suites = test.get("classname").partition(".")
    print("^" + re.escape(f"{module}." + "/".join([*filter(None, suites.split(".")), test.get("name")])))
PYTHON
}

# unit_tests_again NAME RUN...: runs the tests once more that failed in these runs, one by one and with nothing beside them. Each run that
# crashed or hung fails, and so does each if more than ten tests failed: then nothing is run.
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
            # A filter that nothing matches fails nothing.
            unit_tests "$name" --no-parallel --filter "${failed//$'\n'/|}" &&
                [ -z "$(comm -23 <(sort <<<"$failed") <(unit_test_names "$name" | sort))" ] || broken+=("$name")
        fi
    fi
    for run in "${broken[@]}"; do unit_fails "$run"; done
}

# unit_fails NAME: the tests of a run count as failed; lines of its log say what was wrong.
unit_fails() {
    FAILED+=("unit tests (out/$1.log)")
    while IFS= read -r line; do FAILED+=("    $line"); done < <(
        grep -aE '✘ Test.*recorded an issue|error: |Fatal error|^\*\*\* ' "out/$1.log" | cut -c -300 | head -20
    )
}

# stop_beside: ends what was started and has not ended.
stop_beside() { [ ${#BESIDE[@]} = 0 ] || kill "${BESIDE[@]}" 2>/dev/null || true; }
