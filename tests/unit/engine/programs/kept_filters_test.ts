import { assertEquals, assertNotEquals, assertStrictEquals } from "@std/assert";
import { KeptFilters } from "../../../../src/engine/programs/kept_filters.ts";
import { encodeFilter, filterFor, startFilter } from "../../../../src/sandbox/seccomp.ts";

const START = 0x7000_0000;

Deno.test("a filter is made once for all programs that it is for, and another for others", () => {
  const filters = new KeptFilters("x86_64", false);
  const one = filters.of(false, {});
  assertStrictEquals(filters.of(false, { attributes: true, watches: true, sockets: false }), one);
  const others = [
    filters.of(true, {}),
    filters.of("handed", {}),
    filters.of("judged", {}),
    filters.of(false, { attributes: "handed" }),
    filters.of(false, { watches: false }),
    filters.of(false, { rules: false }),
    filters.of(false, { handed: "changes" }),
    filters.of(false, { sockets: true }),
  ];
  assertEquals(new Set([one, ...others]).size, 1 + others.length);
  for (const other of others) assertNotEquals([...other(START)], [...one(START)]);
});

Deno.test("a filter is that of its words: any start, its own alone, or what it hands over", () => {
  for (const network of [true, false]) {
    const filters = new KeptFilters("aarch64", network);
    const options = { watches: false, network } as const;
    assertEquals(
      filters.of(false, { watches: false })(START),
      encodeFilter(filterFor("aarch64", options)),
    );
    for (const [starts, kind] of [[true, "onlyStart"], ["handed", "handedStarts"]] as const) {
      const filter = filters.of(starts, { watches: false });
      assertEquals([...filter(START)], [...startFilter("aarch64", options, kind)(START)]);
      // The same bytes are written anew for each start.
      assertNotEquals([...filter(START)], [...filter(START + 0x1000)], kind);
    }
  }
  const judged = new KeptFilters("x86_64", false).of("judged", {});
  const byName = { network: false, startsByName: true };
  assertEquals(
    [...judged(START)],
    [...startFilter("x86_64", byName, "handedStarts")(START)],
  );
  const [held, free] = [false, true].map((network) => new KeptFilters("x86_64", network));
  assertNotEquals(held?.of(false, {})(START), free?.of(false, {})(START));
});
