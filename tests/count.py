"""Adds up what the test programs said, from meson's logs: count.py LOG...

Prints what failed in full, then "N passed, N failed" (", N skipped"). A program
that says nothing countable counts as one test. Exit status 1 when anything failed
or nothing was run."""
import json
import re
import sys


def counts(test):
    """(passed, failed, skipped) of one program."""
    out = test.get("stdout", "") + test.get("stderr", "")
    good = test["result"] in ("OK", "EXPECTEDFAIL")
    if test["result"] == "SKIP":
        return 0, 0, 1
    ran = sum(map(int, re.findall(r"^\[==========\] (?:\S+: )?(\d+) test\(s\) run", out, re.M)))
    if ran:  # cmocka
        failed = sum(map(int, re.findall(r"^\[  FAILED  \] (?:\S+: )?(\d+) test\(s\)", out, re.M)))
        skipped = sum(map(int, re.findall(r"^\[  SKIPPED \] (?:\S+: )?(\d+) test\(s\)", out, re.M)))
    else:
        match = re.search(r"^Ran (\d+) tests?", out, re.M)  # Python's unittest
        if not match:
            return (1, 0, 0) if good else (0, 1, 0)
        ran = int(match.group(1))
        failed = sum(map(int, re.findall(r"(?:failures|errors)=(\d+)", out)))
        skipped = sum(map(int, re.findall(r"skipped=(\d+)", out)))
    if not good:
        failed = max(failed, 1)
    return max(ran - failed - skipped, 0), failed, skipped


def main():
    total = [0, 0, 0]
    for log in sys.argv[1:]:
        name = log.rsplit("/", 1)[-1].removesuffix(".json")
        with open(log, encoding="utf-8") as lines:
            tests = [json.loads(line) for line in lines]
        for test in tests:
            one = counts(test)
            total = [a + b for a, b in zip(total, one)]
            if one[1]:
                print(f"---- {name}: {test['name']}: {test['result']}")
                print(test.get("stdout", "")[-6000:])
                print(test.get("stderr", "")[-6000:])
        print(f"{name}: {len(tests)} programs")
    passed, failed, skipped = total
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed else 0


sys.exit(main())
