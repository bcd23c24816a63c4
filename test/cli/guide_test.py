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


def pattern(printed):
    """`...` stands for anything within a line."""
    return re.compile(r"\A" + re.escape(printed).replace(r"\.\.\.", "[^\n]*") + r"\Z")


class Guides(CommandTest):
    def test_guides_show_what_happens(self):
        guides = sorted(DOCS.glob("guide-*.md"))
        self.assertGreater(len(guides), 1)
        for guide in guides:
            folder = self.folder / guide.stem
            folder.mkdir()
            environment = {**self.environment, "PATH": f"{os.path.dirname(FRAZIL)}:{os.environ['PATH']}"}
            for command, printed in commands(guide):
                done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL, text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, check=False)
                refused = printed.startswith("frazil: ")  # a refusal that the guide shows
                self.assertEqual(done.returncode != 0, refused, f"{guide.name}: {command}\n{done.stdout}")
                self.assertRegex(done.stdout, pattern(printed), f"{guide.name}: {command}")


if __name__ == "__main__":
    main()
