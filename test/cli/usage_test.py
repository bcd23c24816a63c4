"""Options, expressions that are wrong, exit statuses, help, manual page, completion, and what a terminal sees."""

import json
import os
import pty
import re
import select
import shlex
import shutil
import subprocess
import time

from command import FRAZIL, CommandTest, main


class Expressions(CommandTest):
    def setUp(self):
        super().setUp()
        self.frazil("create", "a.t", "--schema", "id int, name string, price decimal(5,2), at timestamp, größe float, a struct<b: int>")

    def points_at(self, where, column, *words):
        for verb in ("scan", "count", "plan", "delete"):
            err = self.fails(2, verb, "a.t", "--where", where)
            lines = err.splitlines()
            self.assertEqual(lines[1:], ["  " + where, " " * (2 + column) + "^"], err)
            for word in words:
                self.assertIn(word, lines[0])

    def test_a_wrong_expression_points_at_its_column(self):
        self.points_at("id = ", 5, "the end")
        self.points_at("id = 'x'", 5, "int", "'x'")
        self.points_at("id = 1 and", 10, "the end")
        self.points_at("(id = 1", 7, "the end")
        self.points_at("id in (1, 2", 11, "the end")
        self.points_at("id === 1", 5, "=")
        self.points_at("id = 1 garbage", 7, "garbage")
        self.points_at("id = 1; drop", 6, ";")
        self.points_at("id between 1", 12, "AND")
        self.points_at("at > 'foo'", 5, "timestamp", "'foo'")
        self.points_at("isnan(id)", 6, "float or double")
        self.points_at("name like 5", 10, "quotes")

    def test_a_wrong_name_lists_near_ones(self):
        self.points_at("pricee > 3", 0, "pricee", "near: price")
        self.points_at("id = 1 or nme = 'x'", 10, "nme", "near: name")
        self.points_at("a.c = 1", 2, "a.c", "a.b")

    def test_columns_are_characters_and_not_bytes(self):
        self.points_at("größe > 1 and nme = 'x'", 14, "nme")

    def test_json(self):
        done = self.frazil("scan", "a.t", "--where", "id = 1 or nme = 2", "--output", "json", status=2)
        self.assertEqual(done.out, "")
        error = json.loads(done.err)["error"]
        self.assertEqual((error["status"], error["offset"], error["exit"]), ("invalid", 10, 2))
        self.assertIn("nme", error["message"])

    def test_literals_of_every_type_parse(self):
        for where in ("id = 1", "price = 1.25", "at >= timestamp '2024-01-01T00:00:00'", "at < '2024-01-01'", "name starts with 'a'",
                      "name not like '%a_'", "id is not null", "isnan(größe)", "größe is not nan", "id not between 1 and 2",
                      "id not in (1, 2)", '"name" = \'x\'', "`name` <> 'x'", "a.b != 1", "not (id = 1 or id = 2)", "-1 < id", "true",
                      "_pos < 5", "_last_updated_sequence_number > 1"):
            self.assertEqual(self.count("a.t", "--where", where), 0, where)


class Statuses(CommandTest):
    def test_each_exit_status(self):
        self.numbers("a.t")
        self.frazil("count", "a.t")
        self.fails(1, "create", "a.t", "--schema", "x int")
        self.fails(2, "count", "a.t", "--where", "x")
        self.fails(4, "count", "a.none")
        self.fails(7, "inspect", "numbers.csv")
        if os.geteuid() != 0:
            os.chmod(self.folder / "numbers.csv", 0)
            self.fails(5, "append", "a.t", "numbers.csv")
        elif shutil.which("setpriv"):
            self.write("secret.csv", "id\n1\n").chmod(0)
            for folder in (self.folder, *(p for p in self.folder.rglob("*"))):
                if folder.name != "secret.csv":
                    folder.chmod(0o777)
            user = ("setpriv", "--reuid", "65534", "--clear-groups")
            self.assertIn("secret.csv", self.fails(5, "append", "a.t", "secret.csv", prefix=user))

    def test_json_errors_have_one_shape(self):
        for status, word, arguments in ((4, "not-found", ("count", "a.none")), (2, "invalid", ("count", "a.none", "--limit", "3")),
                                        (2, "invalid", ("cuont", "a.none")), (2, "invalid", ("count",))):
            done = self.frazil(*arguments, "--output", "json", status=status)
            error = json.loads(done.err)["error"]
            self.assertEqual((done.out, error["status"], error["exit"]), ("", word, status))
            self.assertTrue(error["message"])
            self.assertEqual(done.err.count("\n"), 1)


class Options(CommandTest):
    def test_forms(self):
        self.numbers("a.t")
        rows = self.scan("a.t", "--limit", 2)
        self.assertEqual(self.frazil("scan", "--limit=2", "--output=jsonl", "a.t").rows(), rows)
        self.assertEqual(self.frazil("--output", "jsonl", "scan", "a.t", "--limit", 2).rows(), rows)
        self.assertEqual(self.frazil("scan", "--output", "jsonl", "--limit", 2, "--", "a.t").rows(), rows)
        self.assertEqual(self.frazil("scan", "a.t", "--limit", 9, "--output", "jsonl", "--limit", 2).rows(), rows)

    def test_mistakes(self):
        self.assertIn("--wehre", self.fails(2, "scan", "a.t", "--wehre", "x"))
        self.assertIn("--limit wants a value", self.fails(2, "scan", "a.t", "--limit"))
        self.assertIn("takes no value", self.fails(2, "scan", "a.t", "--quiet=yes"))
        self.assertIn("scan wants T", self.fails(2, "scan"))
        self.assertIn("scan wants T", self.fails(2, "scan", "a.t", "a.u"))
        self.assertIn('did you mean "create"', self.fails(2, "creat", "a.t"))
        self.assertIn('"drop table"', self.fails(2, "drop"))
        self.assertIn("xml", self.fails(2, "scan", "a.t", "--output", "xml"))
        self.assertIn("--json-ids", self.fails(2, "scan", "a.t", "--json-ids", "int"))
        self.assertIn("--limit", self.fails(2, "--limit", "2", "scan", "a.t"))
        self.assertEqual(self.files(), [])

    def test_quiet_silences_notes(self):
        self.numbers("a.t")
        self.assertNotEqual(self.frazil("scan", "a.t", "--to", "x.csv").err, "")
        self.assertEqual(self.frazil("scan", "a.t", "--to", "y.csv", "--quiet").err, "")
        self.assertNotEqual(self.frazil("count", "a.none", "--quiet", status=4).err, "")


class Help(CommandTest):
    def commands(self):
        lines = self.frazil("help").out.split("commands:\n")[1].split("\n\n")[0].splitlines()
        return [re.split(r" {2,}", line.strip())[0] for line in lines]

    def example(self, text):
        """Its words, without where a shell sends the output."""
        line = text.split("\nexample:\n")[1].splitlines()[0].strip()
        return shlex.split(re.sub(r" > [\w./]+$", "", line))

    def test_version(self):
        self.assertRegex(self.frazil("--version").out, r"^frazil \d+\.\d+\.\d+\n$")

    def test_no_command_shows_the_overview_on_stderr(self):
        done = self.frazil(status=2)
        self.assertEqual((done.out, done.err), ("", self.frazil("help").out))
        self.assertEqual(self.frazil("--help").out, done.err)

    def test_every_command_has_help_with_an_example_that_parses(self):
        commands = self.commands()
        self.assertGreaterEqual(len(commands), 27)
        for command in commands:
            words = command.split()
            text = self.frazil(*words, "--help").out
            self.assertEqual(self.frazil("help", *words).out, text)
            example = self.example(text)
            self.assertEqual(example[: 1 + len(words)], ["frazil", *words])
            done = self.run_raw(*example[1:])
            self.assertNotIn(b"has no option", done.stderr, example)
            self.assertNotIn(b" wants ", done.stderr, example)
            self.assertNotIn(b"no command", done.stderr, example)

    def make_ready(self, command):
        """What the example of a command needs beside what those before it made; the snapshot that it is to name."""
        staged = None
        if command in ("publish", "cherry-pick"):
            wap_id = "load-7" if command == "publish" else "load-8"
            staged = self.frazil("append", "sales.orders", "more.csv", "--wap-id", wap_id, "--output", "json").json()["snapshot_id"]
        if command == "branch drop":
            self.frazil("branch", "create", "sales.orders", "trial")
        if command == "tag replace":
            self.frazil("tag", "create", "sales.orders", "latest")
        return str(staged or self.snapshot_ids("sales.orders")[0])

    def test_the_examples_of_help_run_in_order(self):
        self.frazil("create", "sales.orders", "--schema", "order_id long not null, ts timestamptz, status string, amount decimal(9,2)",
                    "--partition", "day(ts)")
        self.write("more.csv", "order_id,ts,status,amount\n42,2026-01-02T00:00:00Z,PAID,36.00\n43,2026-01-01T00:00:00Z,NEW,1\n")
        self.frazil("append", "sales.orders", "more.csv")
        self.write("changes.jsonl", '{"order_id": 42, "status": "GONE"}\n{"order_id": 44, "status": "NEW"}\n')
        self.write("load.frz", "append sales.orders more.csv; delete sales.orders --where 'order_id = 43'\n")
        for name in ("day1.parquet", "day2.parquet"):
            self.frazil("scan", "sales.orders", "--to", name)
        self.frazil("scan", "sales.orders", "--to", "part-0.parquet")
        self.frazil("scan", "sales.orders", "--where", "order_id = 42", "--to", "jan2.parquet")
        last = ("rename", "drop table", "drop namespace")
        for command in [c for c in self.commands() if c not in (*last, "create", "create namespace")] + list(last):
            example = self.example(self.frazil("help", *command.split()).out)[1:]
            if command == "drop table":
                self.frazil("rename", "sales.orders_2026", "sales.orders")
            named = self.make_ready(command) if "5781947118336215154" in example or command in ("publish", "branch drop", "tag replace") else ""
            self.frazil(*(named if word == "5781947118336215154" else word for word in example))
        self.fails(4, "list", "sales")

    def test_unknown_commands(self):
        self.assertIn("nosuch", self.fails(2, "help", "nosuch"))
        self.assertIn("nosuch", self.fails(2, "nosuch", "--help"))

    def test_manual_page_has_no_warnings_and_names_everything(self):
        page = self.frazil("man").out
        plain = page.replace("\\-", "-")
        for word in (*self.commands(), "--path-map", "EXIT STATUS", "FRAZIL_WAREHOUSE", "NO_COLOR"):
            self.assertIn(word, plain)
        self.write("frazil.1", page)
        if shutil.which("groff"):
            done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "frazil.1"], cwd=self.folder, capture_output=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertIn(b"metadata-log-entries", re.sub(rb"\x1b\[[0-9;]*m", b"", done.stdout).replace("‐".encode(), b"-"))
        if shutil.which("mandoc"):
            done = subprocess.run(["mandoc", "-Tlint", "-Wwarning", "frazil.1"], cwd=self.folder, capture_output=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (0, b""))

    def test_completion_scripts_load_and_complete(self):
        script = self.write("complete.bash", self.frazil("completion", "bash").out)
        ask = ('source "$1"; COMP_WORDS=(frazil "${@:2}"); COMP_CWORD=$(($# - 1)); _frazil; printf "%s\\n" "${COMPREPLY[@]}"')
        def complete(*words):
            done = subprocess.run(["bash", "-u", "-c", ask, "bash", script, *words], cwd=self.folder, capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""), words)
            return done.stdout.split()
        self.assertEqual(complete("sna"), ["snapshots"])
        self.assertEqual(sorted(complete("d")), ["data-files", "delete", "delete-files", "describe", "drop"])
        self.assertEqual(sorted(complete("drop", "")), sorted(["table", "namespace"] + os.listdir(self.folder)))
        self.assertEqual(complete("scan", "--sn"), ["--snapshot-id"])
        self.assertEqual(complete("drop", "table", "--p"), ["--purge", "--path-map"])
        for shell, checker in (("zsh", ["zsh", "-n"]), ("fish", ["fish", "-n"])):
            path = self.write(f"complete.{shell}", self.frazil("completion", shell).out)
            self.assertIn("snapshots", path.read_text())
            if shutil.which(shell):
                done = subprocess.run([*checker, path], capture_output=True, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertIn("tcsh", self.fails(2, "completion", "tcsh"))


class Terminal(CommandTest):
    def on_terminal(self, *arguments, **environment):
        """What the command writes to a terminal that is its stdout and stderr."""
        master, slave = pty.openpty()
        process = subprocess.Popen([FRAZIL, *map(str, arguments)], cwd=self.folder, env={**self.environment, **environment},
                                   stdin=subprocess.DEVNULL, stdout=slave, stderr=slave)
        os.close(slave)
        seen = b""
        while True:
            ready, _, _ = select.select([master], [], [], 60)
            try:
                piece = os.read(master, 65536) if ready else b""
            except OSError:
                piece = b""
            if not piece:
                break
            seen += piece
        os.close(master)
        self.assertEqual(process.wait(), 0, seen)
        return seen.decode()

    def test_colours_only_on_a_terminal_that_wants_them(self):
        self.numbers("a.t", rows=2)
        self.write("n.csv", "id,name\n9,\n")
        self.frazil("append", "a.t", "n.csv")
        self.assertIn("\033[", self.on_terminal("scan", "a.t"))
        self.assertNotIn("\033", self.on_terminal("scan", "a.t", NO_COLOR="1"))
        self.assertNotIn("\033", self.frazil("scan", "a.t").out)

    def test_progress_only_on_a_terminal(self):
        self.numbers("a.t", rows=0)
        self.write("big.csv", "id,name\n" + "".join(f"{i},n\n" for i in range(300000)))
        self.assertIn("appended 1", self.on_terminal("append", "a.t", "big.csv"))
        self.assertNotIn("appended", self.on_terminal("append", "a.t", "big.csv", "--quiet"))
        self.assertEqual(self.frazil("append", "a.t", "big.csv").err, "")

    def test_parquet_is_not_written_to_a_terminal(self):
        self.numbers("a.t", rows=2)
        master, slave = pty.openpty()
        done = self.run_raw("scan", "a.t", "--output", "parquet", stdout=slave)
        os.close(slave)
        os.close(master)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"--to FILE", done.stderr)


class StartUp(CommandTest):
    def test_nothing_is_opened_that_the_verb_does_not_need(self):
        if not shutil.which("strace"):
            self.skipTest("strace is not installed")
        trace = self.folder / "trace"
        self.environment["ASAN_OPTIONS"] = "detect_leaks=0"  # its search for leaks is a tracer itself
        for arguments in (("--version",), ("help",), ("help", "scan")):
            self.frazil(*arguments, prefix=("strace", "-f", "-e", "trace=open,openat,clone,clone3", "-o", str(trace)))
            text = trace.read_text()
            for word in (".yaml", "catalog.db", "clone"):
                self.assertNotIn(word, text, arguments)
        self.assertEqual([p.name for p in self.folder.iterdir()], ["trace"])

    def test_version_within_five_milliseconds(self):
        if os.environ.get("FRAZIL_BUILD") != "Release":
            self.skipTest("only the release build has this budget")
        best = 1.0
        for _ in range(50):
            start = time.perf_counter()
            self.run_raw("--version")
            best = min(best, time.perf_counter() - start)
        self.assertLess(best, 0.005)

    def test_reading_makes_nothing(self):
        self.fails(4, "count", "a.none")
        self.frazil("list")
        self.assertEqual(self.files("."), [])


if __name__ == "__main__":
    main()
