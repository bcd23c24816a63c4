"""Random histories of two to four writers at once, each a process of its own per command: appends, deletes, updates, merges, overwrites, alterations
and branches. Whatever way they mix, each snapshot is what its command makes of the state before it (serializable), or of an earlier state of the
branch, laid over the state before it (snapshot isolation): so the table is what some order of the commands gives. FRAZIL_HISTORIES=200 runs that many."""

import json
import os
import random
import subprocess
import threading
from collections import Counter

from command import FRAZIL, CommandTest, main

HISTORIES = int(os.environ.get("FRAZIL_HISTORIES", "6"))
FIRST_SEED = int(os.environ.get("FRAZIL_SEED", "1"))
IDS, CONFLICT = 24, 3


class Command:
    """One command of a writer: its words, and what it does to rows, as (rows that go, rows that come)."""

    def __init__(self, words, change=None, branch="main"):
        self.words, self.change, self.branch = words, change, branch
        self.status = self.snapshot = None

    def __repr__(self):
        return f"{' '.join(map(str, self.words))} -> {self.status} {self.snapshot}"


def rows_where(state, matches):
    return Counter({row: count for row, count in state.items() if matches(row)})


class Plan:
    """Draws the commands of a history. Every new row has a name that no other has, so that rows can be told apart."""

    def __init__(self, test, chance, number):
        self.test, self.chance, self.number, self.names, self.branches = test, chance, number, 0, 0

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

    def draw(self):
        kinds = ((self.append, 4), (self.delete, 3), (self.update, 3), (lambda: self.merge(False), 2), (lambda: self.merge(True), 2),
                 (self.overwrite, 2), (self.alter, 2), (self.branch, 2))
        return self.chance.choices([kind for kind, _ in kinds], [weight for _, weight in kinds])[0]()


class Writers(CommandTest):
    def run_writer(self, commands):
        for command in commands:
            words = [FRAZIL, *map(str, command.words)]
            if command.change:
                words += ["--output", "json"]
            done = subprocess.run(words, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300,
                                  check=False)
            command.status, command.error = done.returncode, done.stderr
            if command.change and done.returncode == 0:
                command.snapshot = json.loads(done.stdout)["snapshot_id"]

    def rows_at(self, snapshot):
        return Counter((row["id"], row["name"]) for row in self.scan("a.t", "--snapshot-id", snapshot, "--select", "id,name"))

    def check_snapshot(self, command, snapshot, states, parents, serializable):
        before = states[parents[snapshot]]
        base, line = parents[snapshot], []
        while base is not None:
            line.append(states[base])
            base = parents.get(base)
        if command.words[0] == "append" or serializable:
            line = [before]
        for read in line:
            gone, come = command.change(read)
            if not gone - before and before - gone + come == states[snapshot]:
                return
        self.fail(f"{command} made of {sorted(before.elements())}\n what nothing explains: {sorted(states[snapshot].elements())}")

    def play(self, seed):
        chance = random.Random(seed)
        serializable = chance.random() < 0.6
        version = chance.choice((2, 3, 3))
        level = "serializable" if serializable else "snapshot"
        properties = [f"write.{verb}.isolation-level={level}" for verb in ("delete", "update", "merge")]
        properties += [f"commit.retry.num-retries={chance.choice((0, 2, 4))}", "commit.retry.min-wait-ms=2"]
        self.frazil("create", "a.t", "--schema", "id long, name string", "--format-version", version,
                    *(word for entry in properties for word in ("--property", entry)))
        plan = Plan(self, chance, seed)
        first = plan.append()
        self.run_writer([first])
        self.assertEqual(first.status, 0, first.error)
        writers = [[plan.draw() for _ in range(chance.randrange(2, 5))] for _ in range(chance.randrange(2, 5))]
        threads = [threading.Thread(target=self.run_writer, args=(commands,)) for commands in writers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.check([first, *(command for commands in writers for command in commands)], serializable)

    def check(self, commands, serializable):
        for command in commands:
            self.assertIn(command.status, (0, CONFLICT), (command, command.error))
            if command.words[0] == "append":
                self.assertEqual(command.status, 0, (command, command.error))
        snapshots = self.metadata("snapshots", "a.t")
        parents = {row["snapshot_id"]: row["parent_id"] for row in snapshots}
        made = {command.snapshot: command for command in commands if command.snapshot is not None}
        self.assertEqual(sorted(made), sorted(parents), "each commit that was told of is there, and no other")
        states = {snapshot: self.rows_at(snapshot) for snapshot in parents}
        states[None] = Counter()
        parents[None] = None
        lines = {snapshot: parent for snapshot, parent in parents.items() if snapshot is not None}
        for snapshot, command in made.items():
            self.check_snapshot(command, snapshot, states, lines, serializable)
        for command in commands:
            if command.change and command.status == 0 and command.snapshot is None:
                self.assertTrue(any(not any(command.change(state)) for state in states.values()), f"{command} did nothing, which no state explains")
        self.check_alterations(commands)
        refs = {row["name"]: row["snapshot_id"] for row in self.metadata("refs", "a.t")}
        self.assertEqual(Counter((row["id"], row["name"]) for row in self.scan("a.t", "--select", "id,name")), states[refs["main"]])

    def check_alterations(self, commands):
        described = self.frazil("describe", "a.t").out
        refs = {row["name"] for row in self.metadata("refs", "a.t")}
        for command in commands:
            words = command.words
            if words[0] == "properties" and command.status == 0:
                self.assertIn(words[3].split("=")[0], described)
            if words[:1] == ("alter",) and words[2] == "add":
                self.assertEqual(command.status == 0, words[4] in described, command)
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
