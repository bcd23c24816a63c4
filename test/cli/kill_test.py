"""200 SIGKILLs at random moments: the table is always readable and holds exactly the rows of whole commits, all acknowledged ones among
them. What a killed process left on disk harms nobody."""

import random
import signal
import subprocess
import time
from collections import Counter

from command import FRAZIL, CommandTest, main

KILLS, ROWS, SEED = 200, 400, 5


class Kill(CommandTest):
    def start(self, *arguments):
        return subprocess.Popen([FRAZIL, *map(str, arguments)], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def batch(self, number):
        return self.write("batch.csv", "id,batch\n" + "".join(f"{i},{number}\n" for i in range(ROWS)))

    def content(self):
        """How many rows of each batch there are; reads every file of the table."""
        return Counter(self.column("a.t", "batch"))

    def kill_once(self, number, chance, typical):
        """An append of a batch, or the delete of one, killed after a while. Returns (batch, kind, acknowledged)."""
        deletes = number % 4 == 3
        victim = number - 2
        if deletes:
            process = self.start("delete", "a.t", "--where", f"batch = {victim} and id < {ROWS // 2}")
        else:
            process = self.start("append", "a.t", self.batch(number))
        time.sleep(chance.uniform(0, typical))
        process.send_signal(signal.SIGKILL)
        out, err = process.communicate(timeout=60)
        self.assertIn(process.returncode, (0, -signal.SIGKILL), err)
        return (victim if deletes else number), deletes, process.returncode == 0 or "operation" in out

    def test_two_hundred_kills(self):
        chance = random.Random(SEED)
        self.frazil("create", "a.t", "--schema", "id long not null, batch int not null")
        start = time.monotonic()
        for number in range(-3, 0):
            self.frazil("append", "a.t", self.batch(number))
        typical = 1.2 * (time.monotonic() - start) / 3
        expected = Counter({number: ROWS for number in range(-3, 0)})
        acknowledged = 0
        for number in range(KILLS):
            batch, deletes, done = self.kill_once(number, chance, typical)
            found = self.content()
            before, after = expected[batch], (min(expected[batch], ROWS // 2) if deletes else ROWS)
            self.assertIn(found[batch], (after,) if done else (before, after), (number, batch, deletes, done))
            expected[batch] = found[batch]
            self.assertEqual(found, +expected, number)
            acknowledged += done
        self.assertEqual(self.count("a.t"), sum(expected.values()))
        self.assertGreater(acknowledged, 0)
        self.assertLess(acknowledged, KILLS)
        self.frazil("append", "a.t", self.batch(KILLS))
        self.assertEqual(self.count("a.t"), sum(expected.values()) + ROWS)


if __name__ == "__main__":
    main()
