"""Asks the command and keeps the outcomes: how each case of each source came out, and why."""
import re
import subprocess
from collections import Counter, defaultdict

from rows import load_json

# What frazil does not read, as its refusals name it. Anything else that is refused is a failure.
REFUSALS = {
    "ORC": r"format (ORC|orc) (is|are) not read",
    "variant": r"type variant (cannot be|is not) read",
    "geometry, geography": r"type geo(metry|graphy)\b.* (cannot be|is not) read",
    "encryption": r"encrypted",
    "Avro union of several types": r"a union of \d+ types",
    "decimal of more than 38 digits": r"more than 38 digits",
    "a value beyond 1 GiB": r"over the limit parquet_page_size",
}
KINDS = ("equal", "partly", "refused", "failed")
TIMEOUT_SECONDS = 120


class Outcome(Exception):
    """Ends a case that is not equal: refused by name, judged in part, or failed."""

    def __init__(self, kind, reason):
        super().__init__(reason)
        self.kind, self.reason = kind, reason


class Judge:
    def __init__(self, command, verbose=False):
        self.command, self.verbose = command, verbose
        self.results = defaultdict(Counter)
        self.reasons = defaultdict(Counter)
        self.failures = []

    def ask(self, *arguments, command=None):
        """Exit code, standard output and standard error of a run."""
        done = subprocess.run([command or self.command, *map(str, arguments)], capture_output=True, text=True,
                              errors="replace", timeout=TIMEOUT_SECONDS)
        return done.returncode, done.stdout, done.stderr.strip()

    def lines(self, *arguments):
        """The JSON lines of a successful run; raises Outcome otherwise."""
        code, out, message = self.ask(*arguments)
        if code == 0:
            return [load_json(line) for line in out.split("\n") if line.strip()]
        self.refuse(code, message)

    @staticmethod
    def refuse(code, message):
        if code == 7:
            for name, pattern in REFUSALS.items():
                if re.search(pattern, message):
                    raise Outcome("refused", name)
        raise Outcome("failed", f"exit {code}: {message[-400:]}")

    def case(self, source, name, check):
        """Counts one case. `check` returns what is wrong, or nothing; Outcome says other endings."""
        try:
            problem = check()
            kind, reason = ("failed", problem) if problem else ("equal", "")
        except Outcome as outcome:
            kind, reason = outcome.kind, outcome.reason
        except subprocess.TimeoutExpired:
            kind, reason = "failed", f"no answer in {TIMEOUT_SECONDS} s"
        self.results[source][kind] += 1
        if kind == "failed":
            self.failures.append(f"{source} {name}: {reason}")
        elif reason:
            self.reasons[source][reason] += 1
        if self.verbose and kind != "equal":
            print(f"{kind}: {source} {name}: {reason}", flush=True)

    def refused(self, source, name, reason):
        def raising():
            raise Outcome("refused", reason)
        self.case(source, name, raising)
