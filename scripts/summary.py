"""Adds up what lit, GoogleTest and the checks left behind and ends with 'N passed, N failed'.

usage: summary.py RESULTS_DIR [FAILED_STAGE...]

Exits 0 only if every suite ran at least one test and nothing failed, in the results or in a stage. Reads
RESULTS_DIR/lit.json (lit --output), RESULTS_DIR/unit.xml (ctest --output-junit) and RESULTS_DIR/unit/NAME.json (what the
GoogleTest program NAME wrote). A stage of test.sh that has no results of its own counts as one check.
"""

import json
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path


class Tally:
    """Counts of one suite, and the names of what failed."""

    def __init__(self, suite):
        self.suite, self.passed, self.skipped, self.failed = suite, 0, 0, []

    def __str__(self):
        text = f"{self.suite}: {self.passed} passed, {len(self.failed)} failed"
        return text + (f", {self.skipped} skipped" if self.skipped else "")


def read_lit(path):
    tally = Tally("lit")
    for test in json.loads(path.read_text())["tests"]:
        code = test["code"]
        if code in ("PASS", "XFAIL", "FLAKYPASS"):
            tally.passed += 1
        elif code in ("UNSUPPORTED", "SKIPPED", "EXCLUDED"):
            tally.skipped += 1
        else:
            tally.failed.append(f"{test['name']} ({code})")
    return tally


def read_gtest(path, tally):
    """Adds the cases of one GoogleTest program; false if it left no complete results, as after a crash."""
    try:
        suites = json.loads(path.read_text())["testsuites"]
    except (OSError, ValueError, KeyError):
        return False
    for case in (case for suite in suites for case in suite["testsuite"]):
        if case.get("failures"):
            tally.failed.append(f"{case['classname']}.{case['name']}")
        elif case.get("result") == "SKIPPED" or case.get("status") == "NOTRUN":
            tally.skipped += 1
        else:
            tally.passed += 1
    return True


def read_unit(junit, programs):
    tally = Tally("unit")
    for entry in ElementTree.parse(junit).getroot().iter("testcase"):
        name, ran_well = entry.get("name"), entry.get("status") == "run"
        failures_before = len(tally.failed)
        has_cases = read_gtest(programs / f"{name}.json", tally)
        if not ran_well and len(tally.failed) == failures_before:
            tally.failed.append(f"{name} (crashed, timed out or was not built)")
        elif ran_well and not has_cases:
            tally.failed.append(f"{name} (left no results)")
    return tally


def main():
    results, failed_stages = Path(sys.argv[1]), set(sys.argv[2:])
    tallies = []
    for suite, read in (
        ("lit", lambda: read_lit(results / "lit.json")),
        ("unit", lambda: read_unit(results / "unit.xml", results / "unit")),
    ):
        try:
            tally = read()
        except (OSError, ValueError, KeyError, ElementTree.ParseError) as error:
            tally = Tally(suite)
            tally.failed.append(f"no results: {error}")
        if not tally.passed and not tally.failed:
            tally.failed.append("no test was run")
        if suite in failed_stages and not tally.failed:
            tally.failed.append("the runner itself failed: see its log above")
        tallies.append(tally)

    docs = Tally("docs")
    if "docs" in failed_stages:
        docs.failed.append("docs/reference differs from the .td files")
    else:
        docs.passed = 1
    tallies.append(docs)

    for tally in tallies:
        print(tally)
        for name in tally.failed:
            print(f"  failed: {name}")
    passed, failed, skipped = (sum(map(count, tallies)) for count in (
        lambda t: t.passed, lambda t: len(t.failed), lambda t: t.skipped))
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
