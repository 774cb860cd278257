/**
 * Benchmark floor: a tree's files parsed by `web-tree-sitter` with the same grammars, on two threads that do nothing else
 * with them. Prints the milliseconds that takes once the threads are there. The argument names the tree.
 */

import { join } from "@std/path";
import { Language, Parser } from "web-tree-sitter";
import { carriedFiles } from "../../src/engine/pool/carried_files.ts";
import { openCarried } from "../../src/host/carried/carried.ts";
import { languageOf } from "../../src/toolkit/code/languages/languages.ts";

const THREADS = 2;

/** What of a thread's address says that it is one: it has the arguments of its process. */
const THREAD = "?thread";

/** The thread's own scope, which the types of a main thread have not. */
const scope = self as unknown as {
  addEventListener(
    type: "message",
    listener: (event: MessageEvent<readonly string[]>) => void,
  ): void;
  postMessage(message: null): void;
};

if (import.meta.url.endsWith(THREAD)) scope.addEventListener("message", ({ data }) => parse(data));
else console.log(await measure(filesIn(Deno.args[0] ?? ".")));

function filesIn(folder: string): readonly string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) =>
    isDirectory ? filesIn(join(folder, name)) : [join(folder, name)]
  );
}

async function measure(files: readonly string[]): Promise<number> {
  const workers = Array.from(
    { length: THREADS },
    () => new Worker(import.meta.url + THREAD, { type: "module" }),
  );
  const said = (worker: Worker) =>
    new Promise((resolve) => worker.addEventListener("message", resolve, { once: true }));
  // Each loads the library and the grammars first.
  await Promise.all(workers.map((worker) => {
    const ready = said(worker);
    worker.postMessage([]);
    return ready;
  }));
  const started = performance.now();
  await Promise.all(workers.map((worker, thread) => {
    const done = said(worker);
    worker.postMessage(files.filter((_, at) => at % THREADS === thread));
    return done;
  }));
  for (const worker of workers) worker.terminate();
  return performance.now() - started;
}

async function parse(files: readonly string[]): Promise<void> {
  const read = await openCarried(null, await carriedFiles())();
  await Parser.init({ wasmBinary: read("tree-sitter") });
  const parsers = new Map<string, Parser>();
  const decoder = new TextDecoder();
  for (const file of files) {
    const found = languageOf(file);
    if (found === null || !("language" in found)) continue;
    const { grammar } = found.language;
    let parser = parsers.get(grammar);
    if (parser === undefined) {
      parser = new Parser().setLanguage(await Language.load(read(grammar)));
      parsers.set(grammar, parser);
    }
    parser.parse(decoder.decode(Deno.readFileSync(file)))?.delete();
  }
  scope.postMessage(null);
}
