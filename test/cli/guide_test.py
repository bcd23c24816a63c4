"""The commands of docs/guide-*.md, run one after the other; lines that follow one are what it prints."""

import os
import pathlib
import re
import subprocess

from command import FRAZIL, CommandTest, main

DOCS = pathlib.Path(os.environ["FRAZIL_SOURCE_DIR"]) / "docs"


def commands(guide):
    """(command, lines it prints) of every console block."""
    for block in re.findall(r"^```console\n(.*?)^```", guide.read_text(), re.M | re.S):
        for entry in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, printed = entry.partition("\n")
            yield command, printed


class Guides(CommandTest):
    def test_guides_show_what_happens(self):
        guides = sorted(DOCS.glob("guide-*.md"))
        self.assertTrue(guides)
        for guide in guides:
            folder = self.folder / guide.stem
            folder.mkdir()
            environment = {**self.environment, "PATH": f"{os.path.dirname(FRAZIL)}:{os.environ['PATH']}"}
            for command, printed in commands(guide):
                done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""), f"{guide.name}: {command}\n{done.stderr}")
                self.assertEqual(done.stdout, printed, f"{guide.name}: {command}")


if __name__ == "__main__":
    main()
