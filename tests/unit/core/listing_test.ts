/** What archives and patches would come to, by the words that ask them for it and by what they say. */

import { assertEquals } from "@std/assert";
import { listingOf } from "../../../src/core/listing/listing.ts";

const ask = (line: string) => listingOf(line.split(" "))?.ask?.join(" ") ?? null;

Deno.test("tar is asked for what it would pack, without packing, compressing or removing it", () => {
  const packs = "tar --create --file=/dev/null --verbose --quoting-style=escape";
  for (
    const [line, asked] of [
      ["tar czf a.tgz --exclude=x .", `${packs} --exclude=x .`],
      ["tar -czvf a.tgz -C src a b", `${packs} -C src a b`],
      ["tar cCf src a.tar b", `${packs} -C src b`],
      ["tar -c -I zstd --file a.tar --excl x b", null],
      ["tar -c -I zstd --file a.tar --exclude x b", `${packs} --exclude=x b`],
      ["tar --create --remove-files -Xskip -fa.tar b", `${packs} -X skip b`],
      ["tar rf a.tar --no-recursion -h b", `${packs} --no-recursion -h b`],
      ["tar cf a.tar --owner root --exclude x -- -b", `${packs} --exclude=x --add-file=-b`],
      // All that its words name is packed, or nothing is.
      ["tar cf a.tar b", null],
      ["tar tf a.tar --exclude x", null],
      ["tar --delete -f a.tar b --exclude x", null],
    ] as const
  ) assertEquals(ask(line), asked, line);
});

Deno.test("tar is asked for what it would unpack, under the names that it would give", () => {
  const lists = (file: string) =>
    `tar --list --file=${file} --quoting-style=escape --show-transformed-names`;
  for (
    const [line, asked] of [
      ["tar xzf a.tgz", `${lists("a.tgz")} -z`],
      ["tar -xvf a.tar -C out b --strip-components=1", `${lists("a.tar")} b --strip-components=1`],
      ["tar x", lists("-")],
      ["tar -xOf a.tar", null],
      ["tar -xf a.tar --to-command cat", null],
    ] as const
  ) assertEquals(ask(line), asked, line);
  assertEquals(listingOf(["tar", "x"])?.fed, true);
  assertEquals(listingOf(["tar", "xf", "a.tar"])?.fed, false);
});

Deno.test("what tar says is read from where each name lies", () => {
  const names = (line: string, said: string) => listingOf(line.split(" "))?.namesIn(said);
  assertEquals(names("tar cf a.tar -C src . -C ../docs d", "./\n./x/\n./x/a\\nb\nd\n"), [
    ...["src/.", "src/x", "src/x/a\nb"],
    // It may be either.
    ...["src/d", "src/../docs/d"],
  ]);
  assertEquals(names("tar cf a.tar -T -", "a b\n./c\n"), ["a b", "c"]);
  assertEquals(names("tar xf a.tar -C out", "/etc/a\n../b\nc/\n"), ["out/etc/a", "out/b", "out/c"]);
  assertEquals(names("tar xf p/a.tar.gz --one-top-level", "b\n"), ["a/b"]);
  assertEquals(names("tar xPf a.tar", "/etc/a\n"), ["/etc/a"]);
});

Deno.test("zip and unzip are asked likewise", () => {
  for (
    const [line, asked] of [
      ["zip -qr a.zip . -x b c -9", "zip -sf -r -x b c @ a.zip ."],
      ["zip -r9mT a.zip d -i@list", "zip -sf -r -i@list a.zip d"],
      ["zip -lf log -TT cmd -r - d -xq", "zip -sf -r -xq listed.zip d"],
      ["zip -@ a.zip", "zip -sf -@ a.zip"],
      ["zip -r a.zip d", null],
      ["unzip -qo a.zip b -x c -d out", "unzip -Z1 a.zip b -x c"],
      ["unzip -l a.zip", null],
      ["unzip -p a.zip b", null],
    ] as const
  ) assertEquals(ask(line), asked, line);
  const zip = listingOf(["zip", "-rmy", "a.zip", "/d", "-x", "b"]);
  assertEquals([zip?.access, zip?.follows], ["write", false]);
  assertEquals(zip?.namesIn("Would Add/Update:\n  d/\n  d/a b\nTotal 2\n"), [
    ...["d", "/d", "d/a b", "/d/a b"],
  ]);
  assertEquals(listingOf(["unzip", "a", "-d", "out"])?.namesIn("../x/\n/y\n"), ["out/x", "out/y"]);
  assertEquals(listingOf(["unzip", "-j", "a", "-dout"])?.namesIn("x/y/z\n"), ["out/z"]);
});

Deno.test("a patch says itself what it changes", () => {
  const text = 'Index: i/j\n--- a/b c\t2024-01-01\n+++ "a/d"\n@@ -1 +1 @@\n--- x\nrename to a/e\n' +
    "*** 1,2 ****\n--- /dev/null\n";
  const names = (line: string) => listingOf(line.split(" "))?.namesIn(text);
  assertEquals(names("patch -p1"), ["j", "b c", "d", "x", "e"]);
  assertEquals(names("patch -d out -Np0"), [
    ...["out/i/j", "out/a/b c", "out/a/d", "out/x", "out/a/e"],
  ]);
  assertEquals(names("patch"), ["j", "b c", "d", "x", "e"]);
  assertEquals(listingOf(["patch", "-i", "x.patch"])?.reads, ["x.patch"]);
  for (const line of ["patch a x.patch", "patch --dry-run", "patch -o out"]) {
    assertEquals(listingOf(line.split(" ")), null, line);
  }
});
