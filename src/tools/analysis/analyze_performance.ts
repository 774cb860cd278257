/** `analyze_performance`: where the time of a recorded profile went. */

import { ToolError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import { sha256 } from "../../core/sha256.ts";
import type { Capability } from "../../core/capability.ts";
import type { Infer, Schema } from "../../core/schema.ts";
import type { Expectation, ReadContext, Tool } from "../../core/tool.ts";
import { pathSchema } from "../../toolkit/path_schema.ts";
import { analyse } from "./profiles/analyse.ts";
import { SIGNATURE } from "./profiles/flame_graph.ts";
import { type Given, givenAs } from "./profiles/given.ts";
import { MOST_BYTES, openProfile } from "./profiles/open_profile.ts";
import { OUTPUT, type Output } from "./profiles/output.ts";

const input = {
  type: "object",
  properties: {
    profiling_data: {
      type: "string",
      minLength: 1,
      description:
        "The path of a profile (begin it with ./ where it could be taken for text), its text, or its bytes " +
        "in base64; gzip is unpacked.",
    },
    baseline: {
      type: "string",
      minLength: 1,
      description: "An earlier profile to compare with, given in the same ways.",
    },
    focus: {
      type: "string",
      minLength: 1,
      maxLength: 4000,
      description: "A function's name, or a part of it: whose callers and callees to answer.",
    },
    flame_graph: pathSchema(
      "An .svg file to write a flame graph to; needs the permission file_write.",
    ),
    max_results: {
      type: "integer",
      minimum: 1,
      maximum: 500,
      default: 20,
      description: "How many functions, callers, callees and changes to answer at most.",
    },
  },
  required: ["profiling_data"],
} as const satisfies Schema;
type Input = Infer<typeof input>;

const tool: Tool<typeof input, typeof OUTPUT> = {
  name: "analyze_performance",
  category: "analysis",
  description:
    "Reads a recorded profile (V8 .cpuprofile, pprof, collapsed stacks, speedscope, Python cProfile, perf " +
    "script output; found out by looking) and answers the functions with most self time, their total time, " +
    "and the hottest call paths. focus adds a function's callers and callees, baseline what changed, " +
    "flame_graph writes an SVG. Times are milliseconds.",
  risk: "safe",
  permission: "file_read",
  long: true,
  input,
  output: OUTPUT,
  examples: [
    {
      note: "collapsed stacks as text",
      args: { profiling_data: "main;parse;read 60\nmain;render 30\nmain 10\n" },
    },
    {
      note: "who calls a function, and what changed since before",
      args: {
        profiling_data: "main;parse 60\nmain;render;parse 30\n",
        baseline: "main;parse 20\nmain;render 30\n",
        focus: "parse",
      },
    },
    {
      note: "a flame graph for people",
      args: { profiling_data: "main;parse 60\nmain;render 30\n", flame_graph: "flame.svg" },
    },
  ],
  describe: ({ profiling_data, flame_graph }) => {
    const what = profiling_data.length > 200 || /[\n;{]/.test(profiling_data)
      ? `${profiling_data.length} characters of a profile`
      : printable(profiling_data);
    return `Analyse performance: ${what}` +
      (flame_graph === undefined ? "" : `, write ${printable(flame_graph)}`);
  },
  check({ profiling_data, baseline, flame_graph }) {
    givenAs("profiling_data", profiling_data);
    if (baseline !== undefined) givenAs("baseline", baseline);
    if (flame_graph === undefined || flame_graph.toLowerCase().endsWith(".svg")) return;
    throw new ToolError(
      "INVALID_ARGUMENTS",
      `flame_graph: ${printable(flame_graph, 80)} is an SVG; its name must end in .svg`,
    );
  },
  capabilities({ profiling_data, baseline, flame_graph }) {
    return [
      ...reads(givenAs("profiling_data", profiling_data)),
      ...(baseline === undefined ? [] : reads(givenAs("baseline", baseline))),
      ...(flame_graph === undefined ? [] : [
        { kind: "fs.write", path: flame_graph, tree: false },
        // To see whether what is there is a flame graph.
        { kind: "fs.read", path: flame_graph, tree: false, optional: true },
      ] as const),
    ];
  },
  preview(input, context) {
    const { output, picture } = answerOf(input, context);
    if (picture === null) return { ...output };
    const { expect, shape } = picture;
    return { ...output, flame_graph: { ...shape, created: expect === "nothing" } };
  },
  run(input, context) {
    const { output, picture, bytesRead } = answerOf(input, context);
    context.count("bytes_read", bytesRead);
    if (picture === null) return output;
    const { path, bytes, expect, shape } = picture;
    const { created } = context.files.write(path, bytes, { createParents: true, expect });
    context.count("bytes_written", bytes.length);
    return { ...output, flame_graph: { ...shape, created } };
  },
};

export default tool;

function reads(given: Given): readonly Capability[] {
  return given.kind === "bytes" ? [] : [{ kind: "fs.read", path: given.path, tree: false }];
}

/** The answer, and the flame graph as it is to be written. */
interface Answer {
  readonly output: Output;
  readonly bytesRead: number;
  readonly picture: {
    readonly path: string;
    readonly bytes: Uint8Array;
    readonly expect: Expectation;
    readonly shape: Omit<NonNullable<Output["flame_graph"]>, "created">;
  } | null;
}

function answerOf(input: Input, context: ReadContext): Answer {
  const { files, limits } = context;
  const given = givenAs("profiling_data", input.profiling_data);
  // What is in the way is said before the work is done.
  const expect = input.flame_graph === undefined ? null : replaceable(input.flame_graph, context);
  const title = given.kind === "path"
    ? `Flame graph of ${files.display(given.path)}`
    : "Flame graph";
  const { output, flameGraph, bytesRead } = context.timed(() => {
    const opened = openProfile(given, context);
    const earlier = input.baseline === undefined
      ? null
      : openProfile(givenAs("baseline", input.baseline), context);
    const analysis = analyse(opened.profile, {
      baseline: earlier?.profile ?? null,
      focus: input.focus ?? null,
      flameGraphTitle: input.flame_graph === undefined ? null : title,
      most: input.max_results,
      display: (path) => files.display(path),
    });
    return { ...analysis, bytesRead: opened.bytesRead + (earlier?.bytesRead ?? 0) };
  });
  const path = input.flame_graph;
  if (path === undefined || flameGraph === null || expect === null) {
    return { output, bytesRead, picture: null };
  }
  const bytes = new TextEncoder().encode(flameGraph.svg);
  const shown = files.display(path);
  if (bytes.length > limits.write) {
    throw new ToolError(
      "FILE_TOO_LARGE",
      `${shown} would have ${bytes.length} bytes; the policy lets ${limits.write} be written`,
      { details: { size: bytes.length, limit: limits.write } },
    );
  }
  const { drawn, leftOut } = flameGraph;
  const shape = { path: shown, bytes: bytes.length, frames: drawn, left_out: leftOut };
  return { output, bytesRead, picture: { path, bytes, expect, shape } };
}

/** Nothing, or a flame graph of ours, may be in the place of a new one; nothing else is lost to it. */
function replaceable(path: string, { files }: ReadContext): Expectation {
  const there = contentsOf(path, files);
  if (there === null) return "nothing";
  if (new TextDecoder().decode(there.subarray(0, SIGNATURE.length)) === SIGNATURE) {
    return { sha256: sha256(there) };
  }
  throw new ToolError(
    "FILE_EXISTS",
    `${files.display(path)} exists and is no flame graph of this tool; name another file`,
  );
}

/** What is there, if it may be read. */
function contentsOf(path: string, files: ReadContext["files"]): Uint8Array | null {
  try {
    return files.find(path) === null ? null : files.read(path, MOST_BYTES).bytes;
  } catch (error) {
    if (error instanceof ToolError && error.code === "PATH_DENIED") return null;
    throw error;
  }
}
