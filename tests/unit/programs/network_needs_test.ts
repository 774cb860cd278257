/** What a command's words say of the network that it cannot do without. */

import { assertEquals } from "@std/assert";
import { isAddress, networkNeedOf } from "../../../src/programs/network_needs.ts";

Deno.test("commands that do nothing without other machines are known by their words, others are left alone", () => {
  const rows: readonly (readonly [string, string | null])[] = [
    ["npm install", "npm install"],
    ["npm install left-pad", "npm install"],
    ["/usr/bin/npm i -D left-pad", "npm i"],
    ["npm ci --no-audit", "npm ci"],
    ["npm view x", "npm view"],
    ["npm ci --offline", null],
    ["npm install --prefer-offline=true x", null],
    ["npm install ./lib ../other.tgz file:x", null],
    ["npm install --help", null],
    ["npm test", null],
    ["npm run install", null],
    ["npm", null],
    ["pnpm add x", "pnpm add"],
    ["yarn install", null],
    ["yarn add x", "yarn add"],
    ["pip install requests", "pip install"],
    ["python3.12 -m pip install -t lib requests", "python3.12 -m pip install"],
    ["pip3 download x", "pip3 download"],
    ["uv pip install x", "uv pip install"],
    ["pip install -r requirements.txt", null],
    ["pip install -e .", null],
    ["pip install . ./dist/a.whl b.whl", null],
    ["pip install --no-index --find-links wheels x", null],
    ["pip list", null],
    ["python3 -m pip --version", null],
    ["cargo install ripgrep", "cargo install"],
    ["cargo fetch", "cargo fetch"],
    ["cargo install --path .", null],
    ["cargo build", null],
    ["go get example.org/x", "go get"],
    ["go get example.org/x@none", null],
    ["go build ./...", null],
    ["apt-get update", "apt-get update"],
    ["apt install ./a.deb", null],
    ["apt list", null],
    ["ssh host ls", "ssh"],
    ["ssh -V", null],
    ["rsync -a src/ host:dst", "rsync"],
    ["rsync -a src/ dst", null],
    ["scp a.txt ./odd:name", null],
    ["git push", "git push by remote"],
    ["git push -u origin main", "git push by remote"],
    ["git fetch --all", "git fetch by remote"],
    ["git pull --rebase origin", "git pull by remote"],
    ["git push origin feature:main", "git push by remote"],
    ["git clone https://example.org/a", "git clone"],
    ["git clone git@example.org:a/b.git x", "git clone"],
    ["git ls-remote ssh://example.org/a", "git ls-remote"],
    ["git push https://example.org/a HEAD:main", "git push"],
    ["git clone ../other x", null],
    ["git clone . x", null],
    ["git push ../other main", null],
    ["git fetch --depth 1 ../other", null],
    ["git fetch file:///srv/a", null],
    ["git -C sub push", null],
    ["git -c a=b push", null],
    ["git clone http://127.0.0.1:8080/a", null],
    ["git push https://localhost:1/a main", null],
    ["npm install x --registry=http://localhost:4873/", null],
    ["pip install -i http://[::1]:1/simple x", null],
    ["git clone https://localhost.example.org/a", "git clone"],
    ["git clone https://example.org/localhost/a", null],
    ["git status", null],
    ["cat npm install", null],
    ["", null],
  ];
  for (const [line, expected] of rows) {
    const need = networkNeedOf(line.split(" "));
    const found = need === null ? null : `${need.what}${need.byRemote ? " by remote" : ""}`;
    assertEquals(found, expected, line);
  }
});

Deno.test("an address names another machine", () => {
  for (const word of ["https://a/b", "SSH://a", "git@a:b", "a:b", "host:"]) {
    assertEquals(isAddress(word), true, word);
  }
  for (
    const word of [
      "a",
      "./a:b",
      "/a",
      "ext::sh",
      "file:///a",
      "file:x",
      "a/b:c",
      "",
      "u@localhost:a",
    ]
  ) {
    assertEquals(isAddress(word), false, word);
  }
});
