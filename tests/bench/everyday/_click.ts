/** A Python package with its tests: click's own sources. */

import { type EverydayProject, TWO_COMMITS } from "./_project.ts";

export const CLICK: EverydayProject = {
  name: "click",
  npm: {},
  debian: {
    "/usr/lib/python3/dist-packages/click/core.py": "python3-click",
    "/usr/bin/pytest": "python3-pytest",
    "/usr/bin/mypy": "mypy",
    "/usr/bin/flake8": "flake8",
    "/usr/bin/black": "black",
    "/usr/bin/sqlite3": "sqlite3",
    "/usr/lib/python3.11/ensurepip/__init__.py": "python3-venv",
  },
  sources: [["/usr/lib/python3/dist-packages/click", "click"]],
  files: {
    "setup.cfg":
      "[metadata]\nname = everyday-click\nversion = 1.0\n\n[options]\npackages = click\n",
    "pyproject.toml":
      `[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n\n[tool.pytest.ini_options]\ntestpaths = ["tests"]\n`,
    ".gitignore": "__pycache__\n*.pyc\n.venv\n.env\n.pytest_cache\n.mypy_cache\n",
    "NOTES": "An agent works here.\n",
    "data.json": '{"a": [1, 2], "b": null}\n',
    "demo.py": `import click

@click.command()
@click.option("--name", default = "you")
def main(name):
    """Greets."""
    click.echo("Hello, " + name + "!")

if __name__ == "__main__":
    main()
`,
    "scripts/env.sh": "GREETING=hello\nexport GREETING\n",
    "scripts/loopback.py": `import socket, threading
server = socket.create_server(("127.0.0.1", 0))
def serve():
    peer, _ = server.accept()
    peer.sendall(b"over loopback")
    peer.close()
threading.Thread(target=serve).start()
with socket.create_connection(server.getsockname()) as client:
    print(client.recv(100).decode())
`,
    "scripts/threads.py": `from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
if __name__ == "__main__":
    with ThreadPoolExecutor(2) as pool:
        print(list(pool.map(abs, [-1, 2])))
    with ProcessPoolExecutor(2) as pool:
        print(list(pool.map(abs, [-3, 4])))
`,
    "tests/test_basic.py": `import click
from click.testing import CliRunner

def test_echo():
    @click.command()
    def main():
        click.echo("hi")
    result = CliRunner().invoke(main)
    assert result.output == "hi\\n"

def test_option():
    @click.command()
    @click.option("--n", type=int)
    def main(n):
        click.echo(n + 1)
    assert CliRunner().invoke(main, ["--n", "2"]).output == "3\\n"
`,
    "tests/test_echo.py": `import click

def test_echo_bytes(capsysbinary):
    click.echo(b"x")
    assert capsysbinary.readouterr().out == b"x\\n"
`,
    "tests/test_pool.py": `import multiprocessing

def test_pool():
    with multiprocessing.Pool(2) as pool:
        assert pool.map(abs, [-1, -2]) == [1, 2]

def test_manager():
    with multiprocessing.Manager() as manager:
        shared = manager.dict()
        shared["a"] = 1
        assert dict(shared) == {"a": 1}
`,
    "tests/test_tmp.py": `def test_tmp(tmp_path):
    (tmp_path / "a").write_text("x")
    assert (tmp_path / "a").read_text() == "x"
`,
    "unit/__init__.py": "",
    "unit/test_colors.py": `import unittest
import click

class Colors(unittest.TestCase):
    def test_style(self):
        self.assertIn("x", click.style("x", fg="red"))
`,
  },
  history: TWO_COMMITS,
};
