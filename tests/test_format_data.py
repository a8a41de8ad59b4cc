"""Real logs of others, where the folder of shared data is there: what `lockstep report
--json` says of each is what its row of INDEX.md says, within the rounding of that row.

One row a value: ROWS. A row is a test of its own; without the folder all are skipped, and
counted. The values come from the index, never from the program's output.

The program is named by LOCKSTEP_PROGRAM, its tests' folder by LOCKSTEP_TESTS."""
import json
import math
import os
import subprocess
import unittest

PROGRAM = os.environ["LOCKSTEP_PROGRAM"]
HERE = os.environ.get("LOCKSTEP_TESTS", os.path.dirname(os.path.abspath(__file__)))
SHARED = os.path.join(HERE, "..", "..", "shared", "data")

# (file, options, what, value, tolerance)
#
# file       below the folder; several separated by blanks
# options    of `lockstep report`, separated by blanks; a list when one has blanks in it
# what       a path into the JSON report, with '.' between keys: "steps.complete", and
#              per_rank[0].slowdown_median    of the object whose "rank" is 0
#              verdicts[straggler].rank       whose "kind" is "straggler"
#              logs[mllog].counts.doubled     whose "name" is "mllog"
#              logs[deepspeed].values[comm all_reduce].median
#              values#                        how many there are
# value      what INDEX.md says: a number, a text, True, False, None (null or not there)
# tolerance  of a number: half of the last digit that INDEX.md gives; 0: exactly
ROWS = [
    # bytedance: its sums a rank and step as any JSON lines, by a map
    ("bytedance-straggleranalysis/AR.lockstep.jsonl", "", "source.records", 704, 0),
    ("bytedance-straggleranalysis/AR.lockstep.jsonl", "", "per_rank[0].slowdown_median", 2.33, 0.03),
    ("bytedance-straggleranalysis/AR.lockstep.jsonl", "", "step_time_s.median", 46.65, 0.02),
]

_reports = {}


def report(files, options):
    """The report on the files, made once."""
    key = (files, json.dumps(options))
    if key not in _reports:
        paths = [os.path.join(SHARED, name) for name in files.split()]
        words = options if isinstance(options, list) else options.split()
        done = subprocess.run([PROGRAM, "report", "--json", *words, *paths],
                              capture_output=True, timeout=60, check=False)
        _reports[key] = (done.returncode, done.stdout, done.stderr.decode(errors="replace"))
    status, out, error = _reports[key]
    if status != 0:
        raise AssertionError(f"exit {status}: {error}")
    return json.loads(out)


def steps_of(path):
    """"a.b[c d.e].f" as a, b, [c d.e], f."""
    part, inside = "", False
    for letter in path + ".":
        if letter == "[" and not inside:
            yield part
            part, inside = "[", True
        elif letter == "]" and inside:
            inside = False
        elif letter == "." and not inside:
            yield part
            part = ""
        else:
            part += letter


def member(items, name):
    for item in items or []:
        if any(str(item.get(key)) == name for key in ("rank", "kind", "name", "part", "of")):
            return item
    return None


def find(value, path):
    for part in steps_of(path):
        if part == "" or value is None:
            continue
        if part.startswith("["):
            value = member(value, part[1:])
        elif part.endswith("#"):
            value = len(value.get(part[:-1]) or [])
        else:
            value = value.get(part)
    return value


class Data(unittest.TestCase):
    pass


def add_row(number, row):
    files, options, what, want, tolerance = row

    @unittest.skipUnless(os.path.isdir(SHARED), "the folder of shared data is not there")
    def test(self):
        got = find(report(files, options), what)
        if isinstance(want, (int, float)) and not isinstance(want, bool):
            self.assertIsNotNone(got, f"{what} is not known")
            self.assertTrue(math.fabs(got - want) <= tolerance * (1 + 1e-9),
                            f"{what} is {got}, not {want} +- {tolerance}")
        else:
            self.assertEqual(got, want, what)

    test.__doc__ = f"{files} {options}: {what}"
    setattr(Data, f"test_{number:03}", test)


for _number, _row in enumerate(ROWS):
    add_row(_number, _row)


if __name__ == "__main__":
    unittest.main()
