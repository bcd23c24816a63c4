"""The command as a person runs it: each test case has a folder of its own, in which `frazil` runs with nothing configured."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

FRAZIL = os.path.realpath(os.environ["FRAZIL"])
SANITIZER_WORDS = ("AddressSanitizer", "LeakSanitizer", "ThreadSanitizer", "runtime error:")


class Result:
    """What one run printed and how it ended."""

    def __init__(self, arguments, status, out, err):
        self.arguments, self.status, self.out, self.err = arguments, status, out, err

    def json(self):
        return json.loads(self.out)

    def rows(self):
        """Rows of --output jsonl; numbers with a point stay text, so that nothing is rounded."""
        return [json.loads(line, parse_float=str) for line in self.out.splitlines()]

    def __repr__(self):
        return f"frazil {self.arguments} ended with {self.status}\nstdout: {self.out[-3000:]}\nstderr: {self.err[-3000:]}"


# Commands that commit to the table of their first argument (behind the words of the command).
COMMITS = [tuple(words.split()) for words in (
    "create", "register", "append", "delete", "update", "merge", "upsert", "overwrite", "truncate", "add-files", "alter", "upgrade",
    "properties set", "properties remove", "branch create", "branch replace", "branch drop", "tag create", "tag replace", "tag drop",
    "fast-forward", "rollback", "set-current", "cherry-pick", "publish")]

BATCHED = re.compile(r"^committed \d+ operations to (\S+)$|\"table\": \"([^\"]+)\"", re.M)  # in what `batch` prints, as text or JSON

ELSEWHERE = ("--catalog", "--warehouse", "--uri", "--config", "--path-map")  # options that say which table a name means


class CommandTest(unittest.TestCase):
    maxDiff = None
    sound = True  # False: the test breaks its tables; they are not verified when it ends

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="frazil-cli-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.committed = []
        self.addCleanup(self.verify_committed)
        keep = {k: v for k, v in os.environ.items() if not k.startswith(("FRAZIL", "PYICEBERG", "XDG"))}
        self.environment = {**keep, "HOME": str(self.folder), "TZ": "Pacific/Auckland", "LC_ALL": "C.UTF-8"}

    def run_raw(self, *arguments, prefix=(), **options):
        """Runs without judging the status; for outputs that are bytes or files."""
        options.setdefault("cwd", self.folder)
        options.setdefault("env", self.environment)
        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        options.setdefault("timeout", 300)
        return subprocess.run([*prefix, FRAZIL, *map(str, arguments)], check=False, **options)

    def frazil(self, *arguments, status=0, **options):
        """Runs and demands the exit status; a crash or a sanitizer's report never passes."""
        done = self.run_raw(*arguments, **options)
        text = lambda data: (data or b"").decode("utf-8", "surrogateescape")
        result = Result(arguments, done.returncode, text(done.stdout), text(done.stderr))
        for word in SANITIZER_WORDS:
            self.assertNotIn(word, result.err, result)
        self.assertEqual(result.status, status, result)
        if status == 0 and self.sound:
            self.remember(result, options)
        return result

    def remember(self, result, options):
        """Tables that a command has committed to are verified when the test ends: every snapshot that is still there."""
        words = tuple(map(str, result.arguments))
        head = next((head for head in COMMITS if words[:len(head)] == head and len(words) > len(head)), None)
        tables = [words[len(head)].partition("@")[0]] if head else []
        if words[:1] == ("batch",):
            tables = [name for names in BATCHED.findall(result.out) for name in names if name]
        chosen = [part for at, word in enumerate(words) if word in ELSEWHERE for part in words[at:at + 2]]
        for table in tables:
            call = (table, *chosen), {name: options[name] for name in ("cwd", "env") if name in options}
            if call not in self.committed:
                self.committed.append(call)

    def verify_committed(self):
        for arguments, options in self.committed if self.sound else ():
            done = self.run_raw("verify", *arguments, **options)
            if done.returncode not in (0, 2, 4):  # dropped or renamed meanwhile, or no table ("create namespace")
                self.fail(f"{arguments[0]} is not sound: {done.stdout.decode()[-3000:]} {done.stderr.decode()}")

    def fails(self, status, *arguments, **options):
        """A refusal: one line (and the text that it points into) on stderr, nothing on stdout. Returns stderr."""
        result = self.frazil(*arguments, status=status, **options)
        self.assertEqual(result.out, "", result)
        self.assertRegex(result.err, r"^frazil: [^\n]+\n(  [^\n]*\n *\^\n)?$", result)
        return result.err

    def scan(self, table, *options):
        return self.frazil("scan", table, "--output", "jsonl", *options).rows()

    def column(self, table, name, *options):
        return [row[name] for row in self.scan(table, "--select", name, *options)]

    def count(self, table, *options):
        return int(self.frazil("count", table, *options).out)

    def metadata(self, verb, table, *options):
        return self.frazil(verb, table, "--output", "json", *options).json()

    def snapshot_ids(self, table):
        return [row["snapshot_id"] for row in self.metadata("snapshots", table)]

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def files(self, under="warehouse"):
        """Every file below a folder but the catalog's, for "nothing was left behind"."""
        root = self.folder / under
        return sorted(str(p.relative_to(root)) for p in root.rglob("*") if p.is_file() and "catalog.db" not in p.name)

    def numbers(self, table="ns.t", rows=10, extra="", **options):
        """A table with the columns id long and name string, and rows 0 .. rows-1 in one file."""
        self.frazil("create", table, "--schema", f"id long not null, name string{extra}", *options.get("create", ()))
        if rows:
            self.write("numbers.csv", "id,name\n" + "".join(f"{i},n{i}\n" for i in range(rows)))
            self.frazil("append", table, "numbers.csv")
        return table


def main():
    unittest.main(verbosity=1)
