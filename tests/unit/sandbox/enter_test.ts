import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { ToolError } from "../../../src/core/errors.ts";
import { enterBoundary } from "../../../src/sandbox/enter.ts";
import { ABI } from "./_libc.ts";
import type { Step } from "./_held.ts";
import { boundaryOf, held, makePlaces, SENTINEL, spawnOf } from "./_run_held.ts";

Deno.test("a held thread reads and writes inside, nothing outside, while the main thread is free", async () => {
  assert(ABI >= 1, "these tests prove the kernel layer: they need Linux with Landlock");
  const { inside, outside, remove } = makePlaces();
  try {
    const steps: readonly (readonly [Step, string | null])[] = [
      [{ do: "read", path: `${inside}/a.txt` }, "inside"],
      [{ do: "readAsync", path: `${inside}/a.txt` }, "inside"],
      [{ do: "list", path: inside }, "a.txt link.txt sub"],
      [{ do: "write", path: `${inside}/sub/new.txt` }, "written"],
      [{ do: "remove", path: `${inside}/sub/new.txt` }, "removed"],
      [{ do: "read", path: `${outside}/secret.txt` }, null],
      [{ do: "readAsync", path: `${outside}/secret.txt` }, null],
      [{ do: "read", path: `${inside}/link.txt` }, null],
      [{ do: "readAsync", path: `${inside}/link.txt` }, null],
      [{ do: "read", path: `${inside}/sub/../../outside/secret.txt` }, null],
      [{ do: "list", path: outside }, null],
      [{ do: "write", path: `${outside}/new.txt` }, null],
      [{ do: "append", path: `${inside}/link.txt` }, null],
      [{ do: "remove", path: `${outside}/secret.txt` }, null],
      [{ do: "rename", path: `${outside}/secret.txt`, to: `${inside}/s.txt` }, null],
      [{ do: "rename", path: `${inside}/a.txt`, to: `${outside}/a.txt` }, null],
      [{ do: "link", path: `${outside}/secret.txt`, to: `${inside}/hard.txt` }, null],
      [{ do: "import", path: `${outside}/module.ts` }, null],
      [{ do: "read", path: "/proc/self/environ" }, null],
      [{ do: "ffi" }, "true"],
      [{ do: "env" }, null],
      [{ do: "connect", port: 9 }, null],
    ];
    const answer = await held({
      boundary: boundaryOf({ write: [inside] }),
      kernel: "required",
      steps: steps.map(([step]) => step),
      outside: `${outside}/secret.txt`,
    });
    assertEquals(answer.failure, null);
    assertEquals(answer.entered?.layers, ["policy", "runtime", "landlock"]);
    assertEquals(answer.entered?.abi, ABI);
    steps.forEach(([step, expected], index) => {
      const result = answer.results[index];
      const what = JSON.stringify(step);
      assert(result !== undefined);
      if (expected === null) assert(!result.ok, `${what} was let through: ${result.value}`);
      else assertEquals(result.value, expected, what);
    });
    assert(!JSON.stringify(answer).includes(SENTINEL));
    assert(answer.mainIsFree);
    assertEquals(Deno.readTextFileSync(`${outside}/secret.txt`), SENTINEL);
    assertEquals([...Deno.readDirSync(outside)].length, 2);
  } finally {
    remove();
  }
});

Deno.test("the runtime's own set holds where the kernel layer is off, and the kernel where that is wide", async () => {
  const { inside, outside, remove } = makePlaces();
  try {
    const steps: readonly Step[] = [
      { do: "read", path: `${inside}/a.txt` },
      { do: "read", path: `${outside}/secret.txt` },
      { do: "read", path: `${inside}/link.txt` },
    ];
    const boundary = boundaryOf({ read: [inside] });
    const runtime = await held({ boundary, kernel: "off", narrow: true, steps });
    // The runtime follows links: it is the kernel that stops the third.
    assertEquals(runtime.results.map(({ ok }) => ok), [true, false, true]);
    assertEquals(runtime.results[1]?.value, "NotCapable");
    assertEquals(runtime.entered?.layers, ["policy", "runtime"]);
    assertMatch(runtime.entered?.reasons[0] ?? "", /switches the kernel layer off/);
    const kernel = await held({ boundary, kernel: "required", steps });
    assertEquals(kernel.results.map(({ ok }) => ok), [true, false, false]);
    assertEquals(kernel.results[1]?.value, "PermissionDenied");
  } finally {
    remove();
  }
});

Deno.test("rules on files, missing paths and links give what they name and no more", async () => {
  const { inside, outside, remove } = makePlaces();
  try {
    Deno.symlinkSync(outside, `${inside}/way-out`);
    const steps: readonly Step[] = [
      { do: "read", path: `${inside}/a.txt` },
      { do: "read", path: `${outside}/secret.txt` },
      { do: "list", path: inside },
    ];
    const answer = await held({
      boundary: boundaryOf({
        // The second would open a rule for where the link leads, if links were followed.
        read: [`${inside}/a.txt`, `${inside}/way-out`, `${inside}/none`] as typeof inside[],
      }),
      kernel: "required",
      steps,
    });
    assertEquals(answer.results.map(({ ok }) => ok), [true, false, false]);
  } finally {
    remove();
  }
});

Deno.test("the kernel holds the file handles too, which call it past the runtime", async () => {
  const { inside, outside, remove } = makePlaces();
  try {
    const answer = await held({
      boundary: boundaryOf({ write: [inside] }),
      kernel: "required",
      steps: [
        { do: "handleRead", path: `${inside}/a.txt` },
        { do: "handleWrite", path: `${inside}/a.txt` },
        { do: "handleWrite", path: `${inside}/new/deep/b.txt` },
        { do: "handleWalk", path: inside },
        { do: "handleRead", path: `${outside}/secret.txt` },
        { do: "handleWrite", path: `${outside}/secret.txt` },
        { do: "handleWrite", path: `${outside}/new/b.txt` },
        { do: "handleWalk", path: outside },
        { do: "handleRead", path: `${inside}/link.txt` },
      ],
    });
    assertEquals(answer.results.map(({ value }) => value), [
      "inside",
      "written",
      "written",
      "6",
      ...Array<string>(5).fill("NATIVE_DENIED"),
    ]);
    assertEquals(Deno.readTextFileSync(`${inside}/a.txt`), "hi");
    assertEquals(Deno.readTextFileSync(`${outside}/secret.txt`), SENTINEL);
    assertEquals([...Deno.readDirSync(outside)].length, 2);
  } finally {
    remove();
  }
});

Deno.test("without a C library required refuses, auto goes on and says why", async () => {
  const { inside, remove } = makePlaces();
  try {
    const boundary = boundaryOf({ read: [inside] });
    const steps: readonly Step[] = [{ do: "read", path: `${inside}/a.txt` }];
    const required = await held({ boundary, kernel: "required", withoutLibc: true, steps });
    assertEquals(required.failure?.code, "NATIVE_DENIED");
    assertMatch(required.failure?.message ?? "", /required.*C library/);
    const auto = await held({ boundary, kernel: "auto", withoutLibc: true, steps });
    assertEquals(auto.results, [{ ok: true, value: "inside" }]);
    assertEquals(auto.entered?.abi, 0);
    assertMatch(auto.entered?.reasons.join() ?? "", /C library/);
  } finally {
    remove();
  }
});

Deno.test("a thread that connects starts no programs that may not", async () => {
  const { inside, remove } = makePlaces();
  try {
    await assertRejects(
      () =>
        enterBoundary(
          boundaryOf({ connect: ["a.example:443"], spawn: spawnOf(inside) }),
          { kernel: "auto" },
          () => null,
        ),
      ToolError,
      "cannot connect and also start programs",
    );
  } finally {
    remove();
  }
});

Deno.test("a thread without use for a kind of permission has none, inside its rules too", async () => {
  const { inside, remove } = makePlaces();
  try {
    const answer = await held({
      boundary: boundaryOf({ read: [inside] }),
      kernel: "auto",
      steps: [
        { do: "write", path: `${inside}/a.txt` },
        { do: "run", argv: ["/bin/true"] },
        { do: "ffi" },
      ],
    });
    assertEquals(answer.results, [
      { ok: false, value: "NotCapable" },
      { ok: false, value: "NotCapable" },
      { ok: true, value: "true" },
    ]);
  } finally {
    remove();
  }
});

Deno.test("Landlock's port rules hold the thread's own connections", async () => {
  const { inside, remove } = makePlaces();
  const open = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const closed = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  try {
    const answer = await held({
      boundary: boundaryOf({ read: [inside], connect: [`127.0.0.1:${open.addr.port}`] }),
      kernel: "required",
      steps: [
        { do: "connect", port: open.addr.port },
        { do: "connect", port: closed.addr.port },
      ],
    });
    assertEquals(answer.results[0], { ok: true, value: "connected" });
    // Kernels before ABI 4 have no word for it; the policy layer judges hosts in any case.
    assertEquals(answer.results[1]?.ok, ABI < 4);
  } finally {
    open.close();
    closed.close();
    remove();
  }
});

Deno.test("a thread that has its process's networks gives up the names that it could look up, and addresses", async () => {
  const { inside, remove } = makePlaces();
  const server = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const elsewhere = Deno.listen({ port: server.addr.port, hostname: "127.9.9.9" });
  try {
    const { port } = server.addr;
    const net = [`127.0.0.0/16:${port}`, "localhost", `127.9.9.9:${port}`];
    const hosts = ["127.0.0.1", "localhost", "127.9.9.9"];
    const outcomes = async (besides: readonly string[]) => {
      const { results, failure } = await held({
        boundary: boundaryOf({ read: [inside], connect: [`127.0.0.0/16:${port}`], besides }),
        kernel: "auto",
        narrow: true,
        steps: hosts.map((hostname) => ({ do: "connect", port, hostname })),
      }, ["--allow-read", "--allow-ffi", "--allow-env", "--allow-sys", `--allow-net=${net}`]);
      assertEquals(failure, null);
      return results.map(({ value }) => value);
    };
    const [, ...besides] = net;
    assertEquals(await outcomes(besides), ["connected", "NotCapable", "NotCapable"]);
    // The control: it had them.
    assertEquals(await outcomes([]), ["connected", "connected", "connected"]);
  } finally {
    server.close();
    elsewhere.close();
    remove();
  }
});
