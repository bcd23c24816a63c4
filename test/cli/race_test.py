"""Several processes on one table: every append that says it committed is there once, every other says conflict."""

import re
import subprocess

from command import FRAZIL, CommandTest, main

WRITERS, APPENDS = 8, 10


class Race(CommandTest):
    def start(self, *arguments):
        return subprocess.Popen([FRAZIL, *map(str, arguments)], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def test_eight_processes_append_ten_times_each(self):
        self.frazil("create", "a.t", "--schema", "id long not null")
        for number in range(WRITERS * APPENDS):
            self.write(f"in/{number}.csv", f"id\n{number}\n")
        script = 'for i in "$@"; do "$FRAZIL" append a.t "in/$i.csv" --quiet >/dev/null 2>"out/$i.err"; echo "$i $?" ; done'
        (self.folder / "out").mkdir()
        writers = [subprocess.Popen(["sh", "-c", script, "sh", *(str(w * APPENDS + i) for i in range(APPENDS))], cwd=self.folder,
                                    env={**self.environment, "FRAZIL": FRAZIL}, stdout=subprocess.PIPE, text=True) for w in range(WRITERS)]
        ended = dict(map(int, line.split()) for w in writers for line in w.communicate(timeout=300)[0].splitlines())
        self.assertEqual(len(ended), WRITERS * APPENDS)
        for number, status in ended.items():
            self.assertIn(status, (0, 3), (self.folder / f"out/{number}.err").read_text())
        committed = sorted(number for number, status in ended.items() if status == 0)
        self.assertGreaterEqual(len(committed), WRITERS)
        self.assertEqual(sorted(self.column("a.t", "id")), committed)
        snapshots = self.metadata("snapshots", "a.t")
        self.assertEqual(len(snapshots), len(committed))
        for earlier, later in zip(snapshots, snapshots[1:]):
            self.assertEqual(later["parent_id"], earlier["snapshot_id"])
        self.assertEqual(sorted(self.column("a.t", "_row_id")), list(range(len(committed))))

    def test_deletes_and_appends_together(self):
        self.numbers("a.t", rows=60)
        self.write("more.csv", "id\n" + "".join(f"{i}\n" for i in range(100, 110)))
        runs = [(i, self.start("delete", "a.t", "--where", f"id = {i}")) for i in range(6)]
        runs += [(None, self.start("append", "a.t", "more.csv")) for _ in range(3)]
        expected = list(range(60))
        for i, process in runs:
            _, err = process.communicate(timeout=120)
            self.assertIn(process.returncode, (0, 3), err)
            if process.returncode == 0 and i is not None:
                expected.remove(i)
            elif process.returncode == 0:
                expected += range(100, 110)
        self.assertEqual(sorted(self.column("a.t", "id")), sorted(expected))
        self.assertEqual(self.count("a.t"), len(expected))

    def test_a_conflict_says_to_run_again(self):
        """Each update that says it was made is there; the others say what to do."""
        self.numbers("a.t", rows=60)
        made, conflicts = 0, []
        for _ in range(20):
            updates = [self.start("update", "a.t", "--set", "name = name || 'x'") for _ in range(6)]
            ends = [(process.communicate(timeout=120)[1], process.returncode) for process in updates]
            made += sum(status == 0 for _, status in ends)
            conflicts += [err for err, status in ends if status == 3]
            if conflicts:
                break
        self.assertEqual({len(name.lstrip("n0123456789")) for name in self.column("a.t", "name")}, {made})
        for err in conflicts:
            self.assertIn("another commit", err)
            self.assertEqual(err.splitlines()[-1], "  nothing was changed: run it again, on what is there now")
        self.assertTrue(conflicts)

    def test_one_name_is_created_once(self):
        makers = [self.start("create", "new.t", "--schema", f"c{i} int") for i in range(6)]
        statuses = []
        for maker in makers:
            _, err = maker.communicate(timeout=120)
            statuses.append(maker.returncode)
            if maker.returncode:
                self.assertRegex(err, "exists")
        self.assertEqual(sorted(statuses), [0, 1, 1, 1, 1, 1])
        winner = statuses.index(0)
        self.assertIn(f"c{winner} int", self.frazil("describe", "new.t").out)
        self.assertEqual(len([f for f in self.files() if f.endswith(".metadata.json")]), 1)

    def test_a_dropped_table_takes_no_append(self):
        self.numbers("a.t")
        droppers = [self.start("drop", "table", "a.t") for _ in range(3)]
        statuses = sorted(d.wait(timeout=60) for d in droppers)
        for dropper in droppers:
            dropper.communicate()
        self.assertEqual(statuses, [0, 4, 4])
        self.fails(4, "append", "a.t", "numbers.csv")

    def test_purge_leaves_no_orphan_of_a_rival(self):
        self.numbers("a.t")
        append = self.start("append", "a.t", "numbers.csv")
        drop = self.start("drop", "table", "a.t", "--purge", "--yes")
        for process in (append, drop):
            _, err = process.communicate(timeout=60)
            self.assertIn(process.returncode, (0, 3, 4), err)
        self.assertFalse(re.search(r"a\.t", self.frazil("list", "a").out) and drop.returncode == 0)


if __name__ == "__main__":
    main()
