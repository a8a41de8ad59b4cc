"""Logs of anyone's own trainer, made by chance, read by a map or a pattern: every record, and what
is counted as damaged, must be as an independent reading in Python has it.

The reader is named by LOCKSTEP_FORMATS_READ."""
import csv
import io
import json
import os
import random
import re
import subprocess
import tempfile
import unittest
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

READER = os.environ["LOCKSTEP_FORMATS_READ"]
LOGS = 12  # of each kind
UNITS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1, "min": 60 * 10**9, "h": 3600 * 10**9, "hours": 3600 * 10**9,
         "days": 86400 * 10**9, "msec": 10**6}
PHASES = ["data", "forward", "backward", "sync", "optimizer", "compute", "step_time"]
RANK_MAX, NS_MAX = 1048575, 10**15
ODD = object()  # nan and the like
BAD = object()


class Field:
    def __init__(self, name, key, unit=""):
        self.name, self.key, self.unit = name, key, unit

    def said(self):
        key = f'"{self.key}"' if re.search(r'[,:]', self.key) else self.key
        return f"{self.name}={key}" + (f":{self.unit}" if self.unit else "")


# ---- the independent reading ----

def number_of(value, units):
    """A number and the unit behind it; ODD, BAD."""
    if isinstance(value, bool) or isinstance(value, (list, dict)):
        return BAD, ""
    text = str(value).strip()
    found = re.fullmatch(r"([-+]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d*)?(?:[eE][-+]?\d+)?) ?(\D*)", text)
    if re.fullmatch(r"[-+]?(nan|inf|infinity|n/a)( ?(%s))?" % "|".join(units or ["-"]), text, re.I):
        return ODD, ""
    if not found or found[2] not in [""] + units or re.match(r"0,", text):
        return BAD, ""
    try:
        return Decimal(found[1].replace(",", "")), found[2]
    except InvalidOperation:
        return BAD, ""


def read_value(field, value):
    """As the record has it; None: absent."""
    if value is None or value == "":
        return None
    if field.name in ("host", "group"):
        return BAD if isinstance(value, (list, dict)) else str(value)
    if field.name == "rank" and isinstance(value, str):
        value = re.sub(r"^rank[-_ :=]?(?=.)", "", value.strip(), flags=re.I)
    if field.name in ("rank", "step"):
        number, _ = number_of(value, [])
        whole = number not in (ODD, BAD) and number == int(number) and number >= 0
        return int(number) if whole and number <= (RANK_MAX if field.name == "rank" else 2**53) else BAD
    number, unit = number_of(value, list(UNITS))
    if number in (ODD, BAD):
        return number
    if unit and field.unit and unit != field.unit:
        return BAD
    ns = number * UNITS[unit or field.unit or "s"]
    return int(ns.quantize(Decimal(1), ROUND_HALF_UP)) if 0 <= ns <= NS_MAX else BAD


def record_of(fields, values, rank):
    """The line that the reader prints; "damaged"; None: no record."""
    read = {field.name: read_value(field, values.get(field.key)) for field in fields}
    if read["step"] is None:
        return None
    if BAD in read.values():
        return "damaged"
    times = [(name, read[name]) for name in PHASES if read.get(name) not in (None, ODD)]
    if not times or ("step_time", 0) in times:
        return None
    whose = read.get("rank") if read.get("rank") is not None else rank
    line = f"rank {whose} step {read['step']}"
    for name, ns in times:
        line += f" {name}={ns // 10**9}.{ns % 10**9:09}"
    return line + (f" host={read['host'].strip()}" if read.get("host") else "")


def flat(pairs, path=""):
    """Keys of nested objects with points between; the last of a key counts."""
    found = {}
    for key, value in pairs:
        found[path + key] = value
        if isinstance(value, Pairs):
            found.update(flat(value, path + key + "."))
    return found


class Pairs(list):
    """The members of an object, in order."""


def json_values(text):
    return flat(json.loads(text, object_pairs_hook=Pairs, parse_float=Decimal, parse_constant=str))


# ---- logs ----

def digits(dice, unit):
    seconds = Decimal(dice.randrange(1, 10**7)) / 10**6  # whole nanoseconds in each unit but min
    return seconds * 10**9 / UNITS[unit or "s"]


def plain(number):
    return format(number.normalize(), "f")


def json_time(dice, unit):
    """The text of a value of a time."""
    number = plain(digits(dice, unit))
    grouped = f"{dice.randrange(1000, 99999):,}"
    other = dice.choice(["h", "m", "d", "hours", "it/s", "weeks", "min_lr", "x", "stepsize", "ms" if unit != "ms" else "us"])
    if dice.random() < 0.7:
        return number
    return dice.choice([
        number, f'"{number}"', f'"{number} {unit or "s"}"', f'"{number}{unit or "s"}"', f'"{grouped}"',
        f'"{dice.randrange(1, 99)},{dice.randrange(10, 99)}"', '"0,512"', f'"{number} {other}"',
        f"{dice.randrange(1, 99)}e{dice.choice(['-1', '0', '+0', '-2'])}", "NaN", "Infinity", "-Infinity", '"nan"', "null",
        '""', "-1.5", '"N/A"', "true", "[1, 2]", '{"mean": 1.5}', "1e30", '"12 \\u006ds"' if unit == "ms" else number])


def json_rank(dice):
    rank = dice.randrange(64)
    if dice.random() < 0.8:
        return str(rank)
    return dice.choice([f'"{rank}"', f'"rank{rank}"', f'"Rank {rank}"', f'"cuda:{rank}"', "1048575", "1048576", "-1", "1.5",
                        f"{rank}.0", "99999999999999999999", "NaN", "null", '"N/A"', "false"])


def json_step(dice, step):
    if dice.random() < 0.85:
        return str(step)
    return dice.choice([f'"{step}"', f"{step}.0", f"{step}e0", f'"{1000 + step:,}"', f"{step}.5", "-1", "null", "NaN", '"end"', "[]"])


def nested(members, dice):
    """The text of an object of path to value; some paths are written with their points."""
    texts, groups = [], {}
    for path, value in members:
        head, point, tail = path.partition(".")
        if point and dice.random() < 0.8:
            groups.setdefault(head, []).append((tail, value))
            continue
        key = json.dumps(path, ensure_ascii=dice.random() < 0.5)
        if dice.random() < 0.1 and not path.endswith("step"):  # whose letters the lines are found by
            key = '"' + f"\\u{ord(path[0]):04x}" + key[2:]
        texts.append((key, value))
    texts += [(json.dumps(head), nested(inner, dice)) for head, inner in groups.items()]
    dice.shuffle(texts)
    comma, colon = dice.choice([(", ", ": "), (",", ":"), (" , ", " : ")])
    return "{" + comma.join(key + colon + value for key, value in texts) + "}"


NOISE_MEMBERS = [("lr", "6e-05"), ("loss", "NaN"), ("note", r'"a \"step\": {1} \\ [x"'), ("empty", "{}"), ("list", "[[], {}, 1, \"]\"]"),
                 ("deep", '{"a": {"step": 77, "time": 5}}'), ("ok", "true"), ("none", "null"), ("tags", '[{"step": 5}, {"rank": 3}]')]


def json_line(dice, fields, step):
    members = []
    for field in fields:
        if field.name == "rank":
            value = json_rank(dice)
        elif field.name == "step":
            value = json_step(dice, step)
        elif field.name == "host":
            value = dice.choice(['"n1"', '"n\\u0031 \\"x\\""', "null", "7"])
        elif dice.random() < 0.1:
            continue
        else:
            value = json_time(dice, field.unit)
        members.append((field.key, value))
        if dice.random() < 0.03:
            members.append((field.key, dice.choice(["null", "5", value])))
    return nested(members + dice.sample(NOISE_MEMBERS, dice.randrange(4)), dice)


def json_log(dice):
    units = [dice.choice(["", "s", "ms", "us", "ns"]) for _ in range(3)]
    fields = [Field("rank", dice.choice(["rank", "process_index", "dist.rank"])), Field("step", dice.choice(["step", "m.global_step"])),
              Field("forward", dice.choice(["fwd", "m.fwd", "zeit, µ"]), units[0]), Field("sync", "m.n.ar", units[1]),
              Field("step_time", dice.choice(["time", "perf/time"]), units[2]), Field("host", "node")]
    end = dice.choice(["\n", "\r\n"])
    text, wanted = dice.choice(["", "\ufeff"]), []
    for step in range(40):
        rank = dice.randrange(9)
        line = f"[rank{rank}]: " if dice.random() < 0.8 else f"[rank{rank}]: INFO:metrics: "
        for _ in range(dice.choice([1, 1, 1, 2])):
            one = json_line(dice, fields, step)
            wanted.append(record_of(fields, json_values(one), rank))
            line += one
        text += dice.choice(["", "", "\x1b[32m"]) + line + end
        if dice.random() < 0.1:
            text += dice.choice(["{", "saving {step}", "step 5 rank 3 time 9", '"m": {"step": 1}', ""]) + end
    return "map", ",".join(field.said() for field in fields), text, wanted


def csv_log(dice):
    fields = [Field("rank", "rank"), Field("step", "global step"), Field("forward", "fwd, ms", "ms"),
              Field("sync", "ar", dice.choice(["us", ""])), Field("step_time", "t"), Field("host", "node")]
    end, separator = dice.choice(["\n", "\r\n"]), dice.choice(",\t;|")
    text, wanted = dice.choice(["", "\ufeff"]), []

    def row(values):
        out = io.StringIO()
        csv.writer(out, delimiter=separator, lineterminator="", quoting=dice.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])).writerow(values)
        return out.getvalue() + end

    for part in range(3):  # started anew, with other columns
        columns = [field.key for field in fields] + dice.sample(["loss", "lr", "wall", "note"], 3)
        dice.shuffle(columns)
        text += (dice.choice(["", "\ufeff"]) if part else "") + row(columns)
        for step in range(12):
            values = {column: dice.choice(["1.5", "", "nan", "a, b; c\td|e \"f\""]) for column in columns}
            for field in fields:
                value = json_rank(dice) if field.name == "rank" else json_step(dice, step) if field.name == "step" else \
                    dice.choice(["n1", 'n"2"', ""]) if field.name == "host" else json_time(dice, field.unit)
                value = json.loads(value) if value.startswith('"') else value
                if separator == ";" and "," in value:
                    value = "7"  # decimals or thousands: a test of its own
                values[field.key] = "" if value in ("null", "[]") else value
            wanted.append(record_of(fields, values, None) if values["rank"] else None)
            if not values["rank"]:
                values["global step"] = ""  # nobody would know whose it is
            text += row([values[column] for column in columns])
        text += dice.choice(["", "saving a checkpoint" + end, end])
    return "map", ",".join(field.said() for field in fields), text, wanted


def pattern_log(dice):
    unit = dice.choice(["ms", "s", "us"])
    style = dice.choice([
        ("step {step} rank {rank} took {step_time:%s}", "step %s rank %s took %s"),
        ("[{rank}] it={step}/{} ({}) t={step_time:%s}, node {host}", "[%s] it=%s/900 (loss nan) t=%s, node n1"),
        ("{{step {step}}} {} r{rank}: {step_time:%s} each", "{step %s} all good r%s: %s each"),
        ("| {step} | {rank} | {forward:%s} |", "| %s | %s | %s |"),
        ("{step} {rank} time {step_time:%s} min {} max {}", "%s %s time %s min 0.1 max 7"),  # the least, no minutes
        ("{step} {rank} time {step_time:%s} m=", "%s %s time %s m=5")])
    swap = style[0].startswith("[{rank}")
    field = Field("forward" if "forward" in style[0] else "step_time", "t", unit)
    fields = [Field("rank", "rank"), Field("step", "step"), field] + ([Field("host", "host")] if "host" in style[0] else [])
    text, wanted = "", []
    behind = dice.choice(["", " " + unit, unit])
    for step in range(1, 40):
        rank, number = str(dice.randrange(64)), plain(digits(dice, unit))
        time = dice.choice([number, number, f"{dice.randrange(1000, 99999):,}", "nan", "-5"]) + behind
        text_of = style[1] % ((rank, step, time) if swap else (step, rank, time))
        wanted.append(record_of(fields, {"rank": rank, "step": str(step), "t": time, "host": "n1"}, None))
        text += dice.choice(["", "12:00:01 INFO ", "[rank3]: ", "\x1b[1m"]) + text_of + dice.choice(["", "", "\x1b[0m", " (lr 1)"]) + \
            dice.choice(["\n", "\r\n"])
    return "pattern", style[0] % unit, text, wanted


def read(kind, said, text):
    with tempfile.NamedTemporaryFile("w", suffix=".log", newline="", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([READER, file.name, kind, said], capture_output=True, check=True)
    out = done.stdout.decode("utf-8", "backslashreplace")
    return [line for line in out.splitlines() if line.startswith(("rank ", "job "))], out


class UserLogs(unittest.TestCase):
    def check(self, make):
        for seed in range(LOGS):
            dice = random.Random(f"{make.__name__}{seed}")
            kind, said, text, wanted = make(dice)
            records, out = read(kind, said, text)
            self.assertEqual(records, [line for line in wanted if line and line != "damaged"], f"seed {seed}: {said}\n{text}\n{out}")
            damaged = int(re.search(r"# mine: .* damaged (\d+)", out)[1])
            self.assertEqual(damaged, wanted.count("damaged"), f"seed {seed}: {said}\n{text}\n{out}")

    def test_json_lines(self):
        self.check(json_log)

    def test_tables(self):
        self.check(csv_log)

    def test_patterns(self):
        self.check(pattern_log)


if __name__ == "__main__":
    unittest.main()
