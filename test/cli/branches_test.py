"""Branches, tags and publishing: branch, tag, fast-forward, rollback, set-current, cherry-pick, publish, ancestors."""

from command import CommandTest, main


class Branches(CommandTest):
    def setUp(self):
        super().setUp()
        self.numbers("a.t", rows=1)
        self.write("one.csv", "id,name\n77,x\n")
        self.frazil("append", "a.t", "one.csv")
        self.first, self.second = self.snapshot_ids("a.t")

    def refs(self):
        return {row["name"]: row for row in self.metadata("refs", "a.t")}

    def test_branches_are_made_replaced_and_dropped(self):
        out = self.frazil("branch", "create", "a.t", "old", "--snapshot-id", self.first, "--retain", "7d", "--min-snapshots", "2",
                          "--max-snapshot-age", "36h").out
        self.assertEqual(out, f"created branch old at snapshot {self.first}\n")
        made = self.refs()["old"]
        self.assertEqual((made["type"], made["snapshot_id"], made["max_reference_age_in_ms"], made["min_snapshots_to_keep"],
                          made["max_snapshot_age_in_ms"]), ("BRANCH", self.first, 604800000, 2, 129600000))
        self.assertEqual((self.count("a.t@old"), self.count("a.t")), (1, 2))
        self.frazil("branch", "replace", "a.t", "old")
        self.assertEqual((self.refs()["old"]["snapshot_id"], self.refs()["old"]["min_snapshots_to_keep"]), (self.second, 2))
        self.fails(1, "branch", "create", "a.t", "old")
        self.assertIn("it is a branch", self.fails(2, "tag", "drop", "a.t", "old"))
        self.frazil("branch", "drop", "a.t", "old")
        self.fails(4, "branch", "drop", "a.t", "old")
        self.assertIn("table itself", self.fails(2, "branch", "drop", "a.t", "main"))

    def test_tags_name_snapshots(self):
        made = self.frazil("tag", "create", "a.t", "v1", "--snapshot-id", self.first, "--output", "json").json()
        self.assertEqual(made["changes"], [{"change": "create-tag", "text": f"created tag v1 at snapshot {self.first}"}])
        self.frazil("tag", "replace", "a.t", "v1", "--snapshot-id", self.second, "--retain", "90m")
        self.assertEqual((self.refs()["v1"]["type"], self.refs()["v1"]["max_reference_age_in_ms"]), ("TAG", 5400000))
        self.assertIn("is a tag", self.fails(2, "append", "a.t@v1", "one.csv"))
        self.assertIn("no option --min-snapshots", self.fails(2, "tag", "create", "a.t", "x", "--min-snapshots", "1"))
        for wrong in ("7", "d", "-1d", "7 days"):
            self.assertIn("a number and a unit", self.fails(2, "tag", "create", "a.t", "x", f"--retain={wrong}"))
        self.fails(4, "tag", "create", "a.t", "x", "--snapshot-id", "7")
        self.frazil("tag", "drop", "a.t", "v1")

    def test_every_verb_writes_to_a_branch_and_main_goes_forward_to_it(self):
        self.frazil("append", "a.t@audit", "one.csv")
        self.frazil("delete", "a.t", "--where", "id = 0", "--branch", "audit")
        self.assertEqual((sorted(self.column("a.t@audit", "id")), sorted(self.column("a.t", "id"))), ([77, 77], [0, 77]))
        self.assertEqual(self.frazil("fast-forward", "a.t", "main", "audit").out,
                         f"main is at snapshot {self.refs()['audit']['snapshot_id']}\n")
        self.assertEqual(self.count("a.t"), 2)
        self.frazil("append", "a.t", "one.csv")
        self.frazil("append", "a.t@audit", "one.csv")
        self.assertIn("no ancestor", self.fails(2, "fast-forward", "a.t", "main", "audit"))

    def test_main_goes_back_and_forth(self):
        self.assertEqual(self.frazil("rollback", "a.t", "--snapshot-id", self.first).out, f"main is at snapshot {self.first}\n")
        self.assertEqual(self.count("a.t"), 1)
        self.assertIn("set-current", self.fails(2, "rollback", "a.t", "--snapshot-id", self.second))
        self.frazil("set-current", "a.t", "--snapshot-id", self.second)
        self.frazil("tag", "create", "a.t", "first", "--snapshot-id", self.first)
        self.frazil("set-current", "a.t", "--ref", "first")
        self.assertEqual([row["snapshot_id"] for row in self.metadata("history", "a.t")],
                         [self.first, self.second, self.first, self.second, self.first])
        self.frazil("set-current", "a.t", "--snapshot-id", self.second)
        times = {row["snapshot_id"]: row["committed_at"] for row in self.metadata("snapshots", "a.t")}
        if times[self.first] < times[self.second]:
            self.frazil("rollback", "a.t", "--to", times[self.second])
            self.assertEqual(self.count("a.t"), 1)
        self.fails(4, "rollback", "a.t", "--to", "2001-01-01")
        self.assertIn("wants --snapshot-id N or --to", self.fails(2, "rollback", "a.t"))
        self.assertIn("wants --snapshot-id N or --ref", self.fails(2, "set-current", "a.t", "--snapshot-id", "1", "--ref", "x"))

    def test_what_is_staged_is_published_once(self):
        staged = self.frazil("append", "a.t", "one.csv", "--wap-id", "load-7", "--output", "json").json()
        self.frazil("append", "a.t", "one.csv")
        self.assertEqual(self.count("a.t"), 3)
        made = self.frazil("publish", "a.t", "--wap-id", "load-7", "--snapshot-property", "by=ada", "--output", "json").json()
        self.assertEqual((made["summary"]["source-snapshot-id"], made["summary"]["published-wap-id"], made["summary"]["by"]),
                         (str(staged["snapshot_id"]), "load-7", "ada"))
        self.assertEqual(self.count("a.t"), 4)
        self.assertIn("published already", self.fails(1, "publish", "a.t", "--wap-id", "load-7"))
        self.fails(4, "publish", "a.t", "--wap-id", "load-8")
        self.assertIn("--wap-id", self.fails(2, "publish", "a.t"))
        self.assertEqual(sorted(row["_row_id"] for row in self.scan("a.t", "--select", "_row_id")), [0, 1, 3, 4])

    def test_changes_are_picked(self):
        aside = self.frazil("append", "a.t@audit", "one.csv", "--output", "json").json()["snapshot_id"]
        deleted = self.frazil("delete", "a.t@audit", "--where", "id = 0", "--output", "json").json()["snapshot_id"]
        self.frazil("append", "a.t", "one.csv")
        self.frazil("cherry-pick", "a.t", "--snapshot-id", aside)
        self.assertEqual(self.count("a.t"), 4)
        self.assertIn("already", self.fails(1, "cherry-pick", "a.t", "--snapshot-id", aside))
        self.assertIn("neither an append", self.fails(2, "cherry-pick", "a.t", "--snapshot-id", deleted))
        self.fails(4, "cherry-pick", "a.t", "--snapshot-id", "7")
        self.assertIn("--snapshot-id", self.fails(2, "cherry-pick", "a.t"))

    def test_d021_a_staged_overwrite_of_partitions_is_published_unless_they_were_written_to(self):
        self.write("all.csv", "id,p\n1,a\n2,b\n")
        self.write("a.csv", "id,p\n9,a\n")
        self.write("b.csv", "id,p\n7,b\n")
        self.frazil("create", "a.p", "--schema", "id long, p string", "--partition", "p")
        self.frazil("append", "a.p", "all.csv")
        self.frazil("overwrite", "a.p", "a.csv", "--dynamic", "--wap-id", "one")
        self.frazil("overwrite", "a.p", "a.csv", "--dynamic", "--wap-id", "two")
        self.frazil("append", "a.p", "b.csv")
        made = self.frazil("publish", "a.p", "--wap-id", "one", "--output", "json").json()
        self.assertEqual((made["operation"], made["summary"]["deleted-records"]), ("overwrite", "1"))
        self.assertEqual(sorted(self.column("a.p", "id")), [2, 7, 9])
        self.assertIn("a partition that it replaces", self.fails(2, "publish", "a.p", "--wap-id", "two"))

    def test_ancestors(self):
        self.frazil("append", "a.t@audit", "one.csv")
        lines = [row["snapshot_id"] for row in self.frazil("ancestors", "a.t", "--output", "json").json()]
        self.assertEqual(lines, [self.second, self.first])
        self.assertEqual(len(self.frazil("ancestors", "a.t@audit", "--output", "jsonl").rows()), 3)
        self.assertEqual(len(self.frazil("ancestors", "a.t", "--snapshot-id", self.first, "--output", "jsonl").rows()), 1)
        self.frazil("create", "a.empty", "--schema", "id int")
        self.assertEqual(self.frazil("ancestors", "a.empty", "--output", "jsonl").rows(), [])


class Retention(CommandTest):
    def test_replacing_moves_unless_retention_alone_is_given(self):
        self.numbers("a.t", rows=1)
        first = self.snapshot_ids("a.t")[0]
        self.frazil("branch", "create", "a.t", "b")
        self.frazil("tag", "create", "a.t", "g")
        self.frazil("append", "a.t", "numbers.csv")
        for kind, name in (("branch", "b"), ("tag", "g")):
            self.assertEqual(self.frazil(kind, "replace", "a.t", name, "--retain", "3d").out, f"{kind} {name} is at snapshot {first}\n")
            self.assertIn("moves to the current snapshot, or stays", self.frazil("help", kind, "replace").out)
            self.assertEqual(self.frazil(kind, "replace", "a.t", name).out, f"{kind} {name} is at snapshot {self.snapshot_ids('a.t')[1]}\n")


class Times(CommandTest):
    def test_a_time_that_is_too_early_is_told_as_a_time(self):
        self.numbers("a.t", rows=1)
        self.assertIn("older than 2000-01-31T11:00:00.000000Z", self.fails(4, "rollback", "a.t", "--to", "2000-01-31T12:00:00+01:00"))
        self.assertIn("no snapshot was current at 1970-01-01T00:00:00.001000Z", self.fails(4, "count", "a.t", "--as-of", "1"))


if __name__ == "__main__":
    main()
