import { assert, assertEquals, assertRejects } from "@std/assert";
import { comesToBe } from "../../../until.ts";
import type { StayingEngine } from "../../../../src/engine/create_engine.ts";
import { ToolError } from "../../../../src/core/errors.ts";
import type { Token } from "../../../../src/serve/gate/token.ts";
import { TokenEngines } from "../../../../src/serve/gate/token_engines.ts";

const token = (id: string) => ({ id, budget: null }) as unknown as Token;

/** Engines that are nothing but what was opened and closed, as `+tk_1 -tk_1`, and tokens that end. */
class World {
  readonly #said: string[] = [];
  readonly #over = new Set<Token>();
  readonly #ends = new Map<Token, Set<() => void>>();
  readonly engines: TokenEngines<{ engine: StayingEngine; close: () => Promise<void> }>;

  /** `ms`: how long they are kept; null: not at all. */
  constructor(ms: number | null = 3_600_000) {
    const open = (one: Token) => {
      if (one.id === "none") return Promise.reject(new ToolError("RESOURCE_LIMIT", "no thread"));
      this.#said.push(`+${one.id}`);
      const close = () => Promise.resolve(void this.#said.push(`-${one.id}`));
      return Promise.resolve({ engine: {} as StayingEngine, close });
    };
    this.engines = new TokenEngines(open, ms === null ? null : { follow: this.#follow, ms });
  }

  readonly #follow = (one: Token, end: () => void) => {
    if (this.#over.has(one)) return null;
    const ends = this.#ends.get(one) ?? new Set();
    this.#ends.set(one, ends.add(end));
    return () => ends.delete(end);
  };

  end(one: Token): void {
    this.#over.add(one);
    for (const end of this.#ends.get(one) ?? []) end();
  }

  /** Who still waits for an end. */
  get followers(): number {
    return [...this.#ends.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** Uses and leaves each, one after the other. */
  async come(...tokens: readonly Token[]): Promise<void> {
    for (const one of tokens) await (await this.engines.use(one)).close();
  }

  async said(): Promise<string> {
    for (let turn = 0; turn < 8; turn++) await null;
    return this.#said.splice(0).join(" ");
  }
}

Deno.test("who comes with a token again finds its engine, until the token ends", async () => {
  const world = new World();
  const one = token("tk_1");
  await world.come(one, one, one);
  assertEquals(await world.said(), "+tk_1");
  await world.come(one);
  assertEquals(world.followers, 1);
  world.end(one);
  assertEquals([await world.said(), world.followers], ["-tk_1", 0]);
  // Who was connected when it ended.
  const two = token("tk_2");
  const used = await world.engines.use(two);
  world.end(two);
  await used.close();
  assertEquals(await world.said(), "+tk_2 -tk_2");
});

Deno.test("nobody is waited for longer than that", async () => {
  const world = new World(1);
  await world.come(token("tk_1"));
  let said = "";
  assert(await comesToBe(async () => (said += await world.said()).includes("-")));
  assertEquals([said, world.followers], ["+tk_1-tk_1", 0]);
});

Deno.test("an engine that somebody uses is not ended by whoever else leaves", async () => {
  const world = new World(null);
  const one = token("tk_1");
  const [first, second] = [await world.engines.use(one), await world.engines.use(one)];
  await first.close();
  await first.close();
  assertEquals(await world.said(), "+tk_1");
  await second.close();
  assertEquals(await world.said(), "-tk_1");
});

Deno.test("few wait, those that have waited longest go first, and none stands in the way of who comes", async () => {
  const world = new World();
  const tokens = Array.from({ length: 33 }, (_, at) => token(`tk_${at + 1}`));
  await world.come(...tokens.slice(0, 4), tokens[0]!, tokens[4]!);
  assertEquals(await world.said(), "+tk_1 +tk_2 +tk_3 +tk_4 +tk_5 -tk_2");
  await world.engines.close();
  assertEquals((await world.said()).split(" ").toSorted().join(" "), "-tk_1 -tk_3 -tk_4 -tk_5");
  const used = [];
  for (const one of tokens.slice(0, 31)) used.push(await world.engines.use(one));
  await world.come(tokens[31]!);
  await world.said();
  used.push(await world.engines.use(tokens[32]!));
  assertEquals(await world.said(), "+tk_33 -tk_32");
  await assertRejects(() => world.engines.use(token("tk_34")), ToolError, "as many tokens");
});

Deno.test("what could not be opened is not kept", async () => {
  const world = new World();
  for (let at = 0; at < 40; at++) {
    await assertRejects(() => world.engines.use(token("none")), ToolError, "no thread");
  }
  assertEquals(world.followers, 0);
});
