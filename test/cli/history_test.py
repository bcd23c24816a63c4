"""Random histories of sixty operations of every verb against a model in plain Python: after each operation the table's rows, row ids, last updated
sequence numbers, schema, partitioning and references are the model's (test/interop/history.py, there with the other engines)."""

import os
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(os.environ["FRAZIL_SOURCE_DIR"]) / "test" / "interop"))
from command import FRAZIL, CommandTest, main  # noqa: E402
from history import OPERATIONS, History  # noqa: E402
from history_rows import CHOICES as ROWS  # noqa: E402
from history_shape import CHOICES as SHAPE  # noqa: E402
from model import Change, Field, Model, Row  # noqa: E402
from peers import Frazil  # noqa: E402

# The histories of 60 operations, by the version that they begin with.
SEEDS = {1: (100, 103), 2: (101,), 3: (102,)}
RARE = 1  # so many of the operations may be missing in these


class Histories(CommandTest):
    def test_each_operation_leaves_what_the_model_says(self):
        frazil = Frazil(FRAZIL, self.folder)
        frazil.environment = {**self.environment, "FRAZIL_WAREHOUSE": str(self.folder)}
        frazil.run("create", "namespace", "t")
        done = set()
        for start, seeds in SEEDS.items():
            for seed in seeds:
                with self.subTest(start=start, seed=seed):
                    history = History(frazil, self.folder, seed, start)
                    for _ in range(OPERATIONS):
                        history.step()
                    history.checkpoint()
                    done |= set(history.done)
                    history.close()
        missing = {operation.__name__ for _, operation in [*ROWS, *SHAPE]} - done
        self.assertLessEqual(len(missing), RARE, missing)


class TheModel(unittest.TestCase):
    """It sees what must not be."""

    def setUp(self):
        self.model = Model(3, (Field(1, "id", "long"),), {})
        self.rows = [Row({1: 7}, 0, 1), Row({1: 8}, 1, 1)]

    def account(self, observed, change=None, **written):
        snapshot = {"snapshot-id": 5, "sequence-number": 1, "first-row-id": 2, "added-rows": 3, "summary": {"operation": "overwrite"}, **written}
        change = change or Change(self.rows[:1], [(self.rows[1], {1: 80})], [{1: 9}])
        rows = [{"id": i, "_row_id": row_id, "_last_updated_sequence_number": number} for i, row_id, number in observed]
        return self.model.add(snapshot, None, change, rows, 2)

    def test_what_is_right_is_taken(self):
        self.assertEqual(self.account([(7, 0, 1), (80, 1, 1), (9, 4, 1)]), "")

    def test_lineage_that_is_wrong_is_told(self):
        for observed in ([(7, 0, 1), (80, 1, 1), (9, 5, 1)],  # beyond the snapshot's range
                         [(7, 0, 1), (80, 1, 1), (9, 1, 1)],  # of another row
                         [(7, 2, 1), (80, 1, 1), (9, 4, 1)],  # a row that was kept has a new id
                         [(7, 0, 1), (80, 3, 1), (9, 4, 1)],  # so has one that was updated
                         [(7, 0, 2), (80, 1, 1), (9, 4, 1)],  # a number that is not the row's
                         [(7, 0, 1), (80, 1, 1)], [(7, 0, 1), (80, 1, 1), (9, 4, 1), (9, 3, 1)]):
            self.assertIn("rows with lineage", self.account(observed), observed)

    def test_a_snapshot_that_is_wrong_is_told(self):
        good = [(7, 0, 1), (80, 1, 1), (9, 4, 1)]
        self.assertIn("next-row-id was 2", self.account(good, **{"first-row-id": 3}))
        self.assertIn("sequence number 2, want 1", self.account(good, **{"sequence-number": 2}))
        self.assertIn("parent of the snapshot", self.account(good, **{"parent-snapshot-id": 4}))


if __name__ == "__main__":
    main()
