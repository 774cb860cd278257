import { assert, assertEquals, assertMatch } from "@std/assert";
import type { CanonicalPath } from "../../../src/core/capability.ts";
import { bubblewrapArguments, detectBubblewrap } from "../../../src/sandbox/bubblewrap.ts";
import { SYSTEM_PATHS } from "../../../src/sandbox/system_paths.ts";
import { makePlaces, SENTINEL, spawnOf } from "./_run_held.ts";

const at = (path: string): CanonicalPath => path as CanonicalPath;

Deno.test("bubblewrapArguments binds what the boundary names, outer before inner, writable last", () => {
  const args = bubblewrapArguments(
    spawnOf(at("/w"), {
      system: ["/usr", "/proc/cpuinfo"],
      read: [at("/w/long/er"), at("/w")],
      write: [at("/w/src")],
    }),
    "/w",
    ["/usr/bin/ls", "-l"],
  );
  const text = args.join(" ");
  const order = [
    "--unshare-net",
    "--die-with-parent",
    "--new-session",
    "--ro-bind-try /usr /usr",
    "--proc /proc",
    "--dev-bind-try /dev/null /dev/null",
    "--tmpfs /tmp",
    "--ro-bind-try /w /w",
    "--ro-bind-try /w/long/er /w/long/er",
    "--bind-try /w/src /w/src",
    "--remount-ro /",
    "--chdir /w -- /usr/bin/ls -l",
  ].map((part) => text.indexOf(part));
  assert(order.every((position) => position >= 0), text);
  assertEquals(order, [...order].sort((a, b) => a - b));
  assert(!text.includes("/proc/cpuinfo"));
  const open = bubblewrapArguments(spawnOf(at("/w"), { network: true }), "/w", ["x"]);
  assert(!open.includes("--unshare-net"));
});

Deno.test("detectBubblewrap says why not", async () => {
  const cases = [
    [() => Promise.reject(new Deno.errors.NotFound()), /not installed/],
    [() => Promise.reject(new Deno.errors.NotCapable()), /may not be started/],
    // No /dev/null, for one.
    [() => Promise.reject(new TypeError("why")), /cannot be started \(TypeError\)/],
    [
      () => Promise.resolve({ success: false, stderr: "bwrap: No permissions\nmore" }),
      /fails: bwrap: No permissions$/,
    ],
    [() => Promise.resolve({ success: false, stderr: "" }), /no reason given/],
  ] as const;
  for (const [run, reason] of cases) {
    const found = await detectBubblewrap(SYSTEM_PATHS, run);
    assert(!found.works);
    assertMatch(found.reason, reason);
  }
  const found = await detectBubblewrap([], () => Promise.resolve({ success: true, stderr: "" }));
  assertEquals(found, { works: true, path: "/usr/bin/bwrap" });
});

Deno.test("bubblewrap, as it is on this machine, holds what it runs or says why it cannot", async () => {
  const found = await detectBubblewrap(SYSTEM_PATHS);
  if (!found.works) {
    assert(found.reason.length > 0);
    return;
  }
  const { inside, outside, remove } = makePlaces();
  try {
    const line =
      `cat a.txt; echo x > sub/new && cat sub/new; cat ${outside}/secret.txt; ls ${outside}`;
    const { stdout } = await new Deno.Command(found.path, {
      args: [
        ...bubblewrapArguments(
          spawnOf(inside, { write: [at(`${inside}/sub`)] }),
          inside,
          ["/bin/sh", "-c", `${line}; echo y > a.txt`],
        ),
      ],
      clearEnv: true,
      stderr: "piped",
    }).output();
    const text = new TextDecoder().decode(stdout);
    assertEquals(text, "insidex\n");
    assert(!text.includes(SENTINEL));
    assertEquals(Deno.readTextFileSync(`${inside}/a.txt`), "inside");
  } finally {
    remove();
  }
});
