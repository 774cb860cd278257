import { assertEquals } from "@std/assert";
import { refusal, type Result, resultError, toJsonText } from "../../../../src/core/result.ts";
import { Listener, type ListenerParts } from "../../../../src/serve/listener/listener.ts";
import {
  createTurnMemory,
  type Given,
  ListenerTurn,
  MainTurn,
} from "../../../../src/serve/listener/turn.ts";
import { Random } from "../../../random.ts";

const encoder = new TextEncoder();
const look = (path: string) => `{"id":"${path}","tool":"read_file","args":{"path":"${path}"}}\n`;
const PING = '{"id":"p","op":"ping"}\n';

/** What came of a turn: who was answered, and how the turn went back. */
interface Turned {
  readonly answered: readonly string[];
  readonly given: { readonly rest: string; readonly sign: Given["sign"] };
  readonly looked: readonly string[];
}

/** Hears these chunks, and then the end; null: it is woken. `given`: with the turn. */
async function hear(
  chunks: readonly (string | null)[],
  { given = "", elsewhere = [], reader = true, requestBytes = 1 << 20 }: {
    readonly given?: string;
    readonly elsewhere?: readonly string[];
    readonly reader?: boolean;
    readonly requestBytes?: number;
  } = {},
): Promise<Turned> {
  const memory = createTurnMemory();
  const main = new MainTurn(memory);
  const waiting = [...chunks];
  const looked: string[] = [];
  let output = "";
  const parts: ListenerParts = {
    agent: { name: "root", pinned: false },
    turn: new OneTurn(memory),
    lock: { takeBlocking: () => {}, free: () => {} },
    engine: {
      looks: (tool) => tool === "read_file",
      requestBytes,
      timeoutOf: () => 1_000,
      takeCounts: () => ({}),
      look: ({ tool, args }) => {
        const path = String(args["path"]);
        looked.push(path);
        return Promise.resolve(elsewhere.includes(path) ? null : answerOf(tool, path));
      },
    },
    pipe: {
      isReadable: () => waiting[0] !== null,
      wasWoken: () => {
        waiting.shift();
        return true;
      },
      read(buffer) {
        const chunk = waiting.shift() ?? "";
        return encoder.encodeInto(chunk, buffer).written;
      },
      write(bytes) {
        if (reader) output += new TextDecoder().decode(bytes);
        return reader;
      },
    },
  };
  main.give([encoder.encode(given)]);
  await new Listener(parts).run().catch((error) => {
    if (error !== OVER) throw error;
  });
  const back = main.take();
  return {
    answered: output.split("\n").slice(0, -1).map((line) => String(JSON.parse(line).id)),
    given: { rest: new TextDecoder().decode(back?.bytes), sign: back?.sign ?? null },
    looked,
  };
}

const OVER = new Error("the turn was given back, and none comes after it");

/** Waits for one turn alone. */
class OneTurn extends ListenerTurn {
  #had = false;

  override wait(input: Uint8Array): number {
    if (this.#had) throw OVER;
    this.#had = true;
    return super.wait(input);
  }
}

function answerOf(tool: string, path: string): Result {
  return path === "missing" ? refusal(tool, resultError("FILE_NOT_FOUND", path)) : {
    ...refusal(tool, resultError("INTERNAL_ERROR", "")),
    success: true,
    error: null,
    output: toJsonText(path),
  };
}

Deno.test("looks are answered in order until something else comes, which goes back with all behind it", async () => {
  const cases: readonly (readonly [
    chunks: readonly (string | null)[],
    answered: readonly string[],
    rest: string,
    sign: Given["sign"],
  ])[] = [
    [[], [], "", "ended"],
    [[look("a")], ["a"], "", "ended"],
    [[look("a") + look("missing") + "\n \n" + look("c")], ["a", "missing", "c"], "", "ended"],
    [[look("a"), look("b") + PING + look("c")], ["a", "b"], PING + look("c"), null],
    [[PING + look("c")], [], PING + look("c"), null],
    [[look("a") + "{\n" + look("c")], ["a"], "{\n" + look("c"), null],
    [[look("a") + look("b").slice(0, 9), look("b").slice(9)], ["a", "b"], "", "ended"],
    [[look("a") + look("b").trimEnd()], ["a"], look("b").trimEnd(), "ended"],
    [[look("a"), null], ["a"], "", null],
    [[look("a") + '{"id"', null], ["a"], '{"id"', null],
    [[look("a") + `${look("x".repeat(9_000))}`], ["a"], look("x".repeat(9_000)), null],
    [["y".repeat(8_000), "y".repeat(193)], [], "y".repeat(8_193), null],
    [["y".repeat(65_536)], [], "y".repeat(65_536), null],
  ];
  for (const [chunks, answered, rest, sign] of cases) {
    const turned = await hear(chunks);
    assertEquals(turned.answered, [...answered], chunks.join("|").slice(0, 80));
    assertEquals(turned.given, { rest, sign }, chunks.join("|").slice(0, 80));
  }
});

Deno.test("a line that is longer than the policy takes is not answered, ended or not", async () => {
  const long = look("x".repeat(40));
  for (const line of [long, long.trimEnd()]) {
    const turned = await hear([look("a"), line, look("b")], { requestBytes: 80 });
    assertEquals([turned.answered, turned.given], [["a"], { rest: line, sign: null }]);
  }
  assertEquals((await hear([long], { requestBytes: long.length })).answered.length, 1);
});

Deno.test("what comes with the turn is first", async () => {
  const turned = await hear(['b"}}\n', look("c")], {
    given: look("a") + look("b").slice(0, -5),
  });
  assertEquals([turned.answered, turned.given.sign], [["a", "b", "c"], "ended"]);
});

Deno.test("a call that is not for this thread after all goes back unanswered", async () => {
  const turned = await hear([look("a") + look("other") + look("c")], { elsewhere: ["other"] });
  assertEquals(turned.answered, ["a"]);
  assertEquals(turned.given, { rest: look("other") + look("c"), sign: null });
  assertEquals(turned.looked, ["a", "other"]);
});

Deno.test("without a reader it looks no further", async () => {
  const turned = await hear([look("a") + look("b"), look("c")], { reader: false });
  assertEquals([turned.given.sign, turned.looked], ["unread", ["a", "b"]]);
});

Deno.test("wherever the bytes are cut, each look is answered once, or goes back, in order", async () => {
  const random = new Random(29);
  for (let round = 0; round < 300; round++) {
    const lines: string[] = [];
    for (let at = 0; at < 12; at++) {
      lines.push(random.below(12) === 0 ? PING : look(`${at}${"é".repeat(random.below(4))}`));
    }
    const all = encoder.encode(lines.join(""));
    const chunks: string[] = [];
    // Cut between characters: chunks are texts here.
    const characters = [...new TextDecoder().decode(all)];
    while (characters.length > 0) {
      chunks.push(characters.splice(0, 1 + random.below(200)).join(""));
    }
    const turned = await hear(chunks);
    const first = lines.indexOf(PING);
    const answered = first === -1 ? lines : lines.slice(0, first);
    assertEquals(turned.answered, answered.map((line) => JSON.parse(line).id));
    const rest = lines.slice(answered.length).join("");
    assertEquals(rest.startsWith(turned.given.rest), true, turned.given.rest);
  }
});
