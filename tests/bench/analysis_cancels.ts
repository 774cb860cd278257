/** How long an analysis of a large tree goes on after it is cancelled. */

import type { Program } from "../../scripts/_bench_client.ts";

interface Said {
  readonly id?: unknown;
  readonly event?: string;
  readonly error?: { readonly code: string } | null;
}

const CANCEL = "cancel";

/** A request, cancelled after so many milliseconds: from the cancel to its answer, in milliseconds. */
export interface Cancelled {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly afterMs: number;
}

/** The longest of them. Throws Error where one ends otherwise, for then nothing was measured. */
export async function slowestCancel(
  { path, args, cwd }: Program,
  requests: readonly Cancelled[],
): Promise<number> {
  const child = new Deno.Command(path, {
    args: [...args],
    cwd,
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const input = child.stdin.getWriter();
  const encoder = new TextEncoder();
  const send = (value: unknown) => input.write(encoder.encode(`${JSON.stringify(value)}\n`));
  const lines = linesOf(child.stdout);
  // Its start is none of what is measured.
  await send({ id: CANCEL, op: "ping" });
  await lines.next();
  let slowest = 0;
  for (const { tool, args, afterMs } of requests) {
    await send({ id: tool, tool, args });
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    const started = performance.now();
    await send({ id: CANCEL, op: "cancel", target: tool });
    for (const open = new Set<unknown>([tool, CANCEL]); open.size > 0;) {
      const { value } = await lines.next();
      if (value === undefined) throw new Error(`${path} ended its output`);
      const said = JSON.parse(value) as Said;
      if (said.event !== undefined || !open.delete(said.id)) continue;
      if (said.id === CANCEL) continue;
      if (said.error?.code !== "CANCELLED") throw new Error(`${tool} was not cancelled: ${value}`);
      slowest = Math.max(slowest, performance.now() - started);
    }
  }
  await input.close();
  await child.status;
  return slowest;
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let held = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (held + text).split("\n");
    held = lines.pop() ?? "";
    yield* lines;
  }
}
