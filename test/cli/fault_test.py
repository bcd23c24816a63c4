"""A full disk, an interrupt at any moment: nothing is committed, nothing is left behind, the table stays as it was."""

import os
import random
import resource
import signal
import subprocess
import time

from command import FRAZIL, CommandTest, main

ROWS = 60000


def rows_text(count):
    chance = random.Random(7)
    return "id,name\n" + "".join(f"{i},{chance.getrandbits(64):x}\n" for i in range(count))


class FullDisk(CommandTest):
    def check_untouched(self, before):
        self.assertEqual(self.files(), before)
        self.assertEqual(self.count("a.t"), 10)

    def test_a_file_that_may_not_grow(self):
        """RLIMIT_FSIZE: a write beyond it fails as on a full disk."""
        self.numbers("a.t")
        self.write("big.csv", rows_text(ROWS))
        before = self.files()

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (200000, 200000))

        err = self.fails(1, "append", "a.t", "big.csv", preexec_fn=limit)
        self.assertIn(".parquet", err)
        self.assertIn("File too large", err)
        self.check_untouched(before)
        err = self.fails(1, "scan", "a.t", "--to", "small.csv", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10)) or
                         signal.signal(signal.SIGXFSZ, signal.SIG_IGN))
        self.assertIn("small.csv", err)
        self.assertFalse((self.folder / "small.csv").exists())

    def test_a_full_file_system(self):
        disk = self.folder / "warehouse"
        disk.mkdir()
        mount = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", disk], capture_output=True, check=False)
        if mount.returncode:
            self.skipTest("mounting a small file system is not permitted here")
        self.addCleanup(subprocess.run, ["umount", "-l", disk], check=True)
        self.numbers("a.t")
        self.write("big.csv", rows_text(ROWS))
        before = self.files()
        for _ in range(3):
            err = self.fails(1, "append", "a.t", "big.csv")
            self.assertIn("No space left on device", err)
            self.check_untouched(before)
        self.fill(disk)
        for arguments in (("append", "a.t", "numbers.csv"), ("delete", "a.t", "--where", "id = 3"),
                          ("delete", "a.t", "--where", "id = 3", "--mode", "copy-on-write"), ("create", "a.u", "--schema", "x int")):
            done = self.run_raw(*arguments)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.check_untouched(before)
        (disk / "filler").unlink()
        self.frazil("append", "a.t", "numbers.csv")
        self.assertEqual(self.count("a.t"), 20)

    def fill(self, disk):
        """To the last byte; the filler does not count as a file of the table."""
        with open(disk / "filler", "wb", buffering=0) as filler:
            try:
                while True:
                    filler.write(b"x" * 4096)
            except OSError:
                pass

    def files(self, under="warehouse"):
        return [name for name in super().files(under) if name != "filler"]


class Interrupt(CommandTest):
    def test_ctrl_c_at_any_moment_leaves_the_table_as_it_was(self):
        self.numbers("a.t")
        self.write("big.csv", rows_text(2 * ROWS))
        chance = random.Random(11)
        start = time.monotonic()
        self.frazil("append", "a.t", "big.csv", "--branch", "scratch")
        whole = time.monotonic() - start
        before, rows, interrupted = self.files(), 10, 0
        for round_number in range(16):
            kind = (signal.SIGINT, signal.SIGTERM)[round_number % 2]
            process = subprocess.Popen([FRAZIL, "append", "a.t", "big.csv"], cwd=self.folder, env=self.environment,
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            time.sleep(chance.uniform(0.0, 1.1 * whole))
            process.send_signal(kind)
            _, err = process.communicate(timeout=60)
            if process.returncode == 0:
                rows += 2 * ROWS
                before = self.files()
            elif process.returncode == 130:
                interrupted += 1
                self.assertRegex(err.decode(), r"^frazil: [^\n]*(cancelled|interrupted)[^\n]*\n$")
                self.assertEqual(self.files(), before)
            else:
                self.assertEqual((process.returncode, self.files()), (-kind, before), err)
            self.assertEqual(self.count("a.t"), rows)
        self.assertGreater(interrupted, 0)
        self.assertEqual(len(self.column("a.t", "id")), rows)

    def test_an_interrupted_scan_leaves_no_file(self):
        self.numbers("a.t", rows=0)
        self.write("big.csv", rows_text(4 * ROWS))
        self.frazil("append", "a.t", "big.csv")
        for name in ("out.csv", "out.parquet"):
            seen = set()
            for delay in (0.01, 0.03, 0.06, 0.1):
                process = subprocess.Popen([FRAZIL, "scan", "a.t", "--to", name], cwd=self.folder, env=self.environment,
                                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                time.sleep(delay)
                process.send_signal(signal.SIGINT)
                seen.add(process.wait(timeout=60))
                path = self.folder / name
                self.assertEqual(path.exists(), process.returncode == 0)
                self.assertEqual([p.name for p in self.folder.glob("*out*")], [name] if process.returncode == 0 else [])
                path.unlink(missing_ok=True)
            self.assertLessEqual(seen, {0, 130, -signal.SIGINT})

    def test_a_second_interrupt_ends_at_once(self):
        self.numbers("a.t", rows=0)
        os.mkfifo(self.folder / "slow.csv")
        process = subprocess.Popen([FRAZIL, "append", "a.t", "slow.csv", "--format", "csv"], cwd=self.folder, env=self.environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.3)
        for _ in range(2):
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
                time.sleep(0.2)
        self.assertIsNotNone(process.poll())
        self.assertNotEqual(process.returncode, 0)
        self.assertEqual(self.count("a.t"), 0)


if __name__ == "__main__":
    main()
