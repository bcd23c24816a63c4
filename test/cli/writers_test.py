"""Random histories of two to four writers at once, each a process of its own per command: appends, deletes, updates, merges, streaming upserts,
overwrites, alterations, branches, rows that are staged and published, and batches of all these. Whatever way they mix, each snapshot is what its command makes of the state before it (serializable), or of an earlier state of the
branch, laid over the state before it (snapshot isolation): so the table is what some order of the commands gives. FRAZIL_HISTORIES=200 runs that many."""

import json
import os
import random
import shlex
import subprocess
import threading
from collections import Counter

from command import FRAZIL, CommandTest, main

HISTORIES = int(os.environ.get("FRAZIL_HISTORIES", "6"))
FIRST_SEED = int(os.environ.get("FRAZIL_SEED", "1"))
IDS, CONFLICT, WIDTH = 24, 3, 6
BLIND = ("append", "publish", "cherry-pick", "upsert --equality-deletes")  # what they bring does not depend on what they read


class Command:
    """One command of a writer: its words, and what it does to rows, as (rows that go, rows that come). Words may be functions, called when it is run."""

    def __init__(self, words, change=None, branch="main", kind=None):
        self.words, self.change, self.branch, self.kind = words, change, branch, kind or words[0]
        self.status = self.snapshot = self.batch = None
        self.parts = []  # of a batch: its statements

    def after(self, state):
        gone, come = self.change(state) if self.change else (Counter(), Counter())
        return state - gone + come

    def takes(self, told):
        """What --output json said."""
        if not self.parts:
            self.snapshot = told["snapshot_id"]
        for done in (done for transaction in told.get("transactions", ()) for done in transaction["operations"]):
            self.parts[done["line"] - 1].snapshot = done.get("snapshot_id")

    def __repr__(self):
        return f"{' '.join(map(str, self.words))} -> {self.status} {self.snapshot}"


def rows_where(state, matches):
    return Counter({row: count for row, count in state.items() if matches(row)})


class Plan:
    """Draws the commands of a history. Every new row has a name that no other has, so that rows can be told apart."""

    def __init__(self, test, chance, number):
        self.test, self.chance, self.number, self.names, self.branches = test, chance, number, 0, 0
        self.partitioned = chance.random() < 0.5
        self.staged = []  # of the writer at hand: (command, rows) that were not published yet

    def rows(self, ids):
        made = []
        for id_ in ids:
            self.names += 1
            made.append((id_, f"r{self.names}"))
        return made

    def file(self, rows):
        return self.test.write(f"in/{self.number}-{self.names}.csv", "id,name\n" + "".join(f"{i},{n}\n" for i, n in rows))

    def span(self):
        low = self.chance.randrange(IDS)
        return low, low + self.chance.randrange(1, 8)

    def mode(self):
        return ("--mode", self.chance.choice(("merge-on-read", "copy-on-write")))

    def append(self, branch=None):
        rows = self.rows(self.chance.choices(range(IDS), k=self.chance.randrange(1, 5)))
        target = f"a.t@{branch}" if branch else "a.t"
        return Command(("append", target, self.file(rows)), lambda state: (Counter(), Counter(rows)), branch or "main")

    def delete(self):
        low, high = self.span()
        return Command(("delete", "a.t", "--where", f"id >= {low} and id < {high}", *self.mode()),
                       lambda state: (rows_where(state, lambda row: low <= row[0] < high), Counter()))

    def update(self):
        low, high = self.span()

        def change(state):
            gone = rows_where(state, lambda row: low <= row[0] < high)
            return gone, Counter({(id_ + 1, name + "!"): count for (id_, name), count in gone.items()})
        return Command(("update", "a.t", "--set", "id = id + 1, name = name || '!'", "--where", f"id >= {low} and id < {high}", *self.mode()), change)

    def merge(self, deletes):
        rows = self.rows(self.chance.sample(range(IDS), k=self.chance.randrange(1, 4)))
        news = dict(rows)

        def change(state):
            gone = rows_where(state, lambda row: row[0] in news)
            known = {id_ for id_, _ in gone}
            come = Counter() if deletes else Counter(row for row in ((id_, news[id_]) for id_, _ in gone.elements()))
            return gone, come + Counter(row for row in rows if row[0] not in known)
        if deletes:
            words = ("merge", "a.t", self.file(rows), "--on", "id", "--when-matched", "delete", "--when-not-matched", "insert", *self.mode())
        else:
            words = ("upsert", "a.t", self.file(rows), "--on", "id", *self.mode())
        return Command(words, change)

    def overwrite(self):
        low, high = self.span()
        rows = self.rows(self.chance.choices(range(low, high), k=2))
        return Command(("overwrite", "a.t", self.file(rows), "--where", f"id >= {low} and id < {high}", *self.mode()),
                       lambda state: (rows_where(state, lambda row: low <= row[0] < high), Counter(rows)))

    def streaming(self):
        """Without reading the table: rows of the keys go, whoever brought them; of a key that comes twice the last row stays."""
        rows = self.rows(self.chance.choices(range(IDS), k=self.chance.randrange(1, 5)))
        news = dict(rows)
        return Command(("upsert", "a.t", self.file(rows), "--on", "id", "--equality-deletes"),
                       lambda state: (rows_where(state, lambda row: row[0] in news), Counter(news.items())), kind="upsert --equality-deletes")

    def dynamic(self):
        rows = self.rows(self.chance.choices(range(IDS), k=self.chance.randrange(1, 4)))
        gone = {id_ // WIDTH for id_, _ in rows}
        return Command(("overwrite", "a.t", self.file(rows), "--dynamic", *self.mode()),
                       lambda state: (rows_where(state, lambda row: not self.partitioned or row[0] // WIDTH in gone), Counter(rows)))

    def stage(self):
        """Staged rows, or the publication of some that this writer has staged."""
        if self.staged and self.chance.random() < 0.7:
            command, rows = self.staged.pop(0)
            words = (("publish", "a.t", *command.words[3:5]) if self.chance.random() < 0.5 else
                     ("cherry-pick", "a.t", "--snapshot-id", lambda: command.snapshot))
            return Command(words, lambda state: (Counter(), Counter(rows)))
        rows = self.rows(self.chance.choices(range(IDS), k=2))
        self.staged.append((Command(("append", "a.t", self.file(rows), "--wap-id", f"w{self.names}"), lambda state: (Counter(), Counter(rows)), "none"), rows))
        return self.staged[-1][0]

    def batch(self):
        kinds = (self.append, self.append, self.delete, self.update, self.update, lambda: self.merge(False), lambda: self.merge(True), self.overwrite,
                 self.streaming, self.dynamic, self.alter)
        parts = [self.chance.choice(kinds)() for _ in range(self.chance.randrange(2, 6))]
        for part in parts:
            part.words = tuple(word for word in part.words if word != "--quiet")
        self.names += 1
        script = self.test.write(f"in/{self.number}-{self.names}.frz", "".join(shlex.join(map(str, part.words)) + "\n" for part in parts))
        whole = Command(("batch", script))
        whole.parts = parts
        for part in parts:
            part.batch = whole
        return whole

    def alter(self):
        self.names += 1
        return Command(self.chance.choice((("alter", "a.t", "add", "column", f"c{self.names}", "int"),
                                           ("properties", "set", "a.t", f"p{self.names}=1"),
                                           ("alter", "a.t", "set", "sort", f"id {self.chance.choice(('asc', 'desc'))}"))))

    def branch(self):
        self.branches += 1
        if self.chance.random() < 0.5:
            return Command(("branch", "create", "a.t", f"b{self.branches}-{self.number}"))
        return self.append(f"w{self.chance.randrange(2)}")

    def writer(self, count):
        self.staged = []
        return [self.draw() for _ in range(count)]

    def draw(self):
        kinds = ((self.append, 4), (self.delete, 3), (self.update, 3), (lambda: self.merge(False), 2), (lambda: self.merge(True), 2),
                 (self.overwrite, 2), (self.alter, 2), (self.branch, 2), (self.streaming, 2), (self.dynamic, 2), (self.stage, 3), (self.batch, 4))
        return self.chance.choices([kind for kind, _ in kinds], [weight for _, weight in kinds])[0]()


class Writers(CommandTest):
    def run_writer(self, commands):
        for command in commands:
            words = [FRAZIL, *(str(word() if callable(word) else word) for word in command.words)]
            if command.change or command.parts:
                words += ["--output", "json"]
            done = subprocess.run(words, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300,
                                  check=False)
            for part in (command, *command.parts):
                part.status, part.error = done.returncode, done.stderr
            if (command.change or command.parts) and done.returncode == 0:
                command.takes(json.loads(done.stdout))

    def rows_at(self, snapshot):
        return Counter((row["id"], row["name"]) for row in self.scan("a.t", "--snapshot-id", snapshot, "--select", "id,name"))

    def reads(self, command, snapshot, states, parents, serializable):
        """States that the command may have read: of its branch at some time; of a batch, with what its statements before it made of that."""
        before = states[parents[snapshot]]
        if command.kind in BLIND or serializable:
            return [before]
        earlier = command.batch.parts[:command.batch.parts.index(command)] if command.batch else []
        first = next((part.snapshot for part in earlier if part.snapshot is not None), snapshot)
        line, base = [before], parents[first]
        while base is not None:
            read = states[base]
            for part in earlier:
                read = part.after(read)
            line.append(read)
            base = parents.get(base)
        return line

    def check_snapshot(self, command, snapshot, states, parents, serializable):
        before = states[parents[snapshot]]
        for read in self.reads(command, snapshot, states, parents, serializable):
            gone, come = command.change(read)
            if not gone - before and before - gone + come == states[snapshot]:
                return
        self.fail(f"{command} made of {sorted(before.elements())}\n what nothing explains: {sorted(states[snapshot].elements())}")

    def check_batch(self, batch, states, parents, serializable):
        """Its snapshots follow each other; a statement without one changed nothing of what stood there (serializable)."""
        made = [part.snapshot for part in batch.parts if part.snapshot is not None]
        for earlier, later in zip(made, made[1:]):
            self.assertEqual(parents[later], earlier, batch)
        state = states[parents[made[0]]] if made else None
        for part in batch.parts if made and serializable else ():
            if part.snapshot is not None:
                state = states[part.snapshot]
            elif part.change:
                self.assertEqual(part.after(state), state, f"{part} of {batch} did nothing")

    def play(self, seed):
        chance = random.Random(seed)
        serializable = chance.random() < 0.6
        version = chance.choice((2, 3, 3))
        level = "serializable" if serializable else "snapshot"
        properties = [f"write.{verb}.isolation-level={level}" for verb in ("delete", "update", "merge")]
        plan = Plan(self, chance, seed)
        properties += [f"commit.retry.num-retries={chance.choice((0, 2, 4))}", "commit.retry.min-wait-ms=2"]
        self.frazil("create", "a.t", "--schema", "id long, name string", "--format-version", version,
                    *(("--partition", f"truncate({WIDTH}, id)") if plan.partitioned else ()),
                    *(word for entry in properties for word in ("--property", entry)))
        first = plan.append()
        self.run_writer([first])
        self.assertEqual(first.status, 0, first.error)
        writers = [plan.writer(chance.randrange(2, 5)) for _ in range(chance.randrange(2, 5))]
        threads = [threading.Thread(target=self.run_writer, args=(commands,)) for commands in writers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.check([first, *(command for commands in writers for command in commands)], serializable)

    def check(self, commands, serializable):
        for command in commands:
            self.assertIn(command.status, (0, CONFLICT), (command, command.error))
            if command.kind in BLIND:
                self.assertEqual(command.status, 0, (command, command.error))
        batches = [command for command in commands if command.parts]
        commands = [part for command in commands for part in command.parts or [command]]
        snapshots = self.metadata("snapshots", "a.t")
        parents = {row["snapshot_id"]: row["parent_id"] for row in snapshots}
        made = {}
        for command in commands:  # a snapshot that is published as it is has been made by who staged it
            if command.snapshot is not None:
                made.setdefault(command.snapshot, command)
        self.assertEqual(sorted(made), sorted(parents), "each commit that was told of is there, and no other")
        states = {snapshot: self.rows_at(snapshot) for snapshot in parents}
        states[None] = Counter()
        parents[None] = None
        lines = {snapshot: parent for snapshot, parent in parents.items() if snapshot is not None}
        for snapshot, command in made.items():
            self.check_snapshot(command, snapshot, states, lines, serializable)
        for batch in batches:
            if batch.status == 0:
                self.check_batch(batch, states, parents, serializable)
        for command in commands:
            if command.change and command.status == 0 and command.snapshot is None:
                self.assertTrue(any(not any(command.change(state)) for state in states.values()), f"{command} did nothing, which no state explains")
        self.check_alterations(commands)
        refs = {row["name"]: row["snapshot_id"] for row in self.metadata("refs", "a.t")}
        self.assertEqual(Counter((row["id"], row["name"]) for row in self.scan("a.t", "--select", "id,name")), states[refs["main"]])
        if self.metadata("describe", "a.t")["format_version"] > 2:
            ids = [row["_row_id"] for row in self.scan("a.t", "--select", "_row_id")]
            self.assertEqual(len(set(ids)), len(ids), "row ids are unique")

    def check_alterations(self, commands):
        described = self.metadata("describe", "a.t")
        columns = {field["name"] for field in described["schema"]["fields"]}
        refs = {row["name"] for row in self.metadata("refs", "a.t")}
        for command in commands:
            words = command.words
            if words[0] == "properties" and command.status == 0:
                self.assertIn(words[3].split("=")[0], described["properties"])
            if words[:1] == ("alter",) and words[2] == "add":
                self.assertEqual(command.status == 0, words[4] in columns, command)
            if words[0] == "branch":
                self.assertEqual(command.status == 0, words[3] in refs, command)


def add(seed):
    def test(self):
        self.play(seed)
    setattr(Writers, f"test_history_{seed}", test)


for number in range(FIRST_SEED, FIRST_SEED + HISTORIES):
    add(number)


if __name__ == "__main__":
    main()
