import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { createHash } from "node:crypto";
import { type BaseSources, findCompileBase } from "../../../scripts/compile_base.ts";
import { compiled, gzip, tar } from "./_archive.ts";

const TARGET = "x86_64-unknown-linux-gnu";
const base = new Uint8Array(3000).fill(7);
const sha256 = createHash("sha256").update(base).digest("hex");

async function packageOf(content: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  return await gzip(tar({ "package/bin/steady": compiled(content, new Uint8Array(20)) }));
}

/** A machine where only the npm package can be had; `fetched` counts how often it was. */
async function withSources(
  run: (sources: BaseSources, fetched: string[], folder: string) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  const fetched: string[] = [];
  try {
    await run(
      {
        reachable: () => Promise.resolve(false),
        denortBin: undefined,
        fetchPackage: (spec) => {
          fetched.push(spec);
          return packageOf(base);
        },
        packaged: { [TARGET]: { spec: "some-package@1.0.0", entry: "package/bin/steady", sha256 } },
        cache: join(folder, "base"),
        release: false,
      },
      fetched,
      folder,
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("findCompileBase() takes Deno's own download before all else", () =>
  withSources(async (sources, fetched) => {
    const reachable = {
      ...sources,
      denortBin: Deno.execPath(),
      reachable: () => Promise.resolve(true),
    };
    assertEquals(await findCompileBase(TARGET, reachable), {
      path: null,
      origin: "Deno's own download",
    });
    assertEquals(fetched, []);
  }));

Deno.test("findCompileBase() takes DENORT_BIN before the npm package", () =>
  withSources(async (sources, fetched) => {
    const target = Deno.build.target as typeof TARGET;
    const path = Deno.execPath();
    const found = await findCompileBase(target, { ...sources, denortBin: path });
    assertEquals(found, { path, origin: `DENORT_BIN (${path})` });
    assertEquals(fetched, []);
  }));

Deno.test("findCompileBase() passes over a DENORT_BIN that is for another target", () =>
  withSources(async (sources, fetched, folder) => {
    const arm = join(folder, "arm");
    const elf = new Uint8Array(64);
    elf.set([0x7f, 0x45, 0x4c, 0x46]);
    elf[18] = 183;
    await Deno.writeFile(arm, elf);
    const found = await findCompileBase(TARGET, { ...sources, denortBin: arm });
    assertStringIncludes(found.origin, "npm package");
    assertEquals(fetched.length, 1);
    const error = await assertRejects(
      () => findCompileBase(TARGET, { ...sources, denortBin: arm, packaged: {} }),
      Error,
    );
    assertStringIncludes(error.message, `2. DENORT_BIN: ${arm} is for aarch64-unknown-linux-gnu`);
  }));

Deno.test("findCompileBase() refuses a DENORT_BIN that is no executable, and takes no other way", () =>
  withSources(async (sources, fetched, folder) => {
    const denortBin = join(folder, "missing");
    const error = await assertRejects(
      () => findCompileBase(TARGET, { ...sources, denortBin }),
      Error,
    );
    assertStringIncludes(error.message, `2. DENORT_BIN: ${denortBin} is no executable`);
    assertEquals(fetched, []);
  }));

Deno.test("findCompileBase() cuts the base out of the npm package and keeps it", () =>
  withSources(async (sources, fetched) => {
    const first = await findCompileBase(TARGET, sources);
    assertEquals(first.origin, "npm package some-package@1.0.0 (hash checked)");
    assert(first.path !== null);
    assertEquals(await Deno.readFile(first.path), base);
    const second = await findCompileBase(TARGET, sources);
    assertEquals(second.origin, "npm package some-package@1.0.0 (cached, hash checked)");
    assertEquals(second.path, first.path);
    assertEquals(fetched, ["some-package@1.0.0"]);
  }));

Deno.test("findCompileBase() fetches again where the cached base is damaged", () =>
  withSources(async (sources, fetched) => {
    const { path } = await findCompileBase(TARGET, sources);
    assert(path !== null);
    for (const damage of [base.with(5, 0), base.subarray(0, 100), new Uint8Array()]) {
      await Deno.writeFile(path, damage);
      await findCompileBase(TARGET, sources);
      assertEquals(await Deno.readFile(path), base);
    }
    assertEquals(fetched.length, 4);
  }));

Deno.test("findCompileBase() refuses a package whose base has another hash, and keeps nothing of it", () =>
  withSources(async (sources) => {
    const fetchPackage = () => packageOf(base.with(0, 1));
    const error = await assertRejects(
      () => findCompileBase(TARGET, { ...sources, fetchPackage }),
      Error,
    );
    assertStringIncludes(error.message, `not ${sha256}; it is not used`);
    await assertRejects(() => Deno.stat(sources.cache), Deno.errors.NotFound);
  }));

const ways: [string, (sources: BaseSources) => Partial<BaseSources>, string[]][] = [
  ["a release", () => ({ release: true }), ["3. npm package: never used for a release"]],
  ["no package for the target", () => ({ packaged: {} }), ["3. npm package: none is known"]],
  ["no network", () => ({
    fetchPackage: () => Promise.reject(new Error("getaddrinfo ENOTFOUND")),
  }), ["3. npm package: some-package@1.0.0: getaddrinfo ENOTFOUND"]],
  ["a package that is no compiled binary", () => ({
    fetchPackage: () => gzip(tar({ "package/bin/steady": new Uint8Array(900) })),
  }), ["3. npm package: some-package@1.0.0: no compiled binary"]],
  ["a package without the binary", () => ({ fetchPackage: () => gzip(tar({})) }), [
    "3. npm package: some-package@1.0.0: the archive holds no package/bin/steady",
  ]],
];

for (const [name, change, expected] of ways) {
  Deno.test(`findCompileBase() names all three ways and what to do: ${name}`, () =>
    withSources(async (sources) => {
      const error = await assertRejects(
        () => findCompileBase(TARGET, { ...sources, ...change(sources) }),
        Error,
      );
      const common = ["1. Deno's own download: ", "2. DENORT_BIN: is not set", "set DENORT_BIN to"];
      for (const text of [...common, ...expected]) assertStringIncludes(error.message, text);
    }));
}
