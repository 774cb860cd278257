/** The shape of what `analyze_performance` answers. */

import type { Infer, JsonSchema, Schema } from "../../../core/schema.ts";
import { FORMATS } from "./model.ts";

const PLACE = {
  function: { type: "string", description: "Its name as the profile has it." },
  file: { type: "string", description: "Its source, or its program or library." },
  line: { type: "integer", description: "Where it begins, as far as is known." },
  column: { type: "integer", description: "Likewise." },
} as const satisfies Readonly<Record<string, JsonSchema>>;
const SELF = { type: "number", description: "Spent in it itself." } as const;
const SELF_PERCENT = { type: "number", description: "Of the whole profile." } as const;
const TOTAL = {
  type: "number",
  description: "Spent in it and in all that it called; recursion counted once.",
} as const;
const TOTAL_PERCENT = { type: "number", description: "Of the whole profile." } as const;

const NEIGHBOURS = {
  type: "array",
  items: {
    type: "object",
    properties: {
      ...PLACE,
      total: { type: "number", description: "Spent in calls of the one by the other." },
      total_percent: TOTAL_PERCENT,
    },
    required: ["function", "total", "total_percent"],
  },
} as const satisfies JsonSchema;

/** The schema of the answer. */
export const OUTPUT = {
  type: "object",
  properties: {
    format: {
      type: "string",
      enum: FORMATS,
      description: "Of the profile, found out by looking.",
    },
    unit: {
      type: "string",
      description: "Of all numbers: ms for times; samples, bytes, count, or an event's name.",
    },
    samples: { type: "number", description: "Samples taken; of cProfile, calls counted." },
    total: { type: "number", description: "What all functions' own time (or size) comes to." },
    functions: { type: "integer", description: "Functions in the profile." },
    hot: {
      type: "array",
      description: "Functions, those with most own time first.",
      items: {
        type: "object",
        properties: {
          ...PLACE,
          self: SELF,
          self_percent: SELF_PERCENT,
          total: TOTAL,
          total_percent: TOTAL_PERCENT,
        },
        required: ["function", "self", "self_percent", "total", "total_percent"],
      },
    },
    paths: {
      type: "array",
      description: "Whole call paths at whose end most was spent.",
      items: {
        type: "object",
        properties: {
          frames: {
            type: "array",
            items: { type: "string" },
            description:
              "From the outermost caller on; recursion stands once with its depth, long paths are cut in the middle.",
          },
          self: { type: "number", description: "Spent at the end of this path." },
          self_percent: SELF_PERCENT,
        },
        required: ["frames", "self", "self_percent"],
      },
    },
    focus: {
      type: "object",
      description: "What focus was taken for.",
      properties: {
        functions: {
          type: "array",
          description: "The functions meant, or the first of them.",
          items: { type: "object", properties: PLACE, required: ["function"] },
        },
        matched: { type: "integer", description: "How many there are." },
      },
      required: ["functions", "matched"],
    },
    callers: { ...NEIGHBOURS, description: "Who called the functions in focus, the most first." },
    callees: { ...NEIGHBOURS, description: "What they called, the most first." },
    baseline: {
      type: "object",
      description: "The profile it was compared with.",
      properties: {
        format: { type: "string", description: "As above." },
        samples: { type: "number", description: "As above." },
        total: { type: "number", description: "As above, in the same unit." },
      },
      required: ["format", "samples", "total"],
    },
    changes: {
      type: "array",
      description:
        "Functions (by name and file) whose own time changed most; 0 where one is gone or new.",
      items: {
        type: "object",
        properties: {
          ...PLACE,
          self: SELF,
          self_before: { type: "number", description: "In the baseline." },
          total: TOTAL,
          total_before: { type: "number", description: "In the baseline." },
        },
        required: ["function", "self", "self_before", "total", "total_before"],
      },
    },
    flame_graph: {
      type: "object",
      description: "The SVG that was written.",
      properties: {
        path: { type: "string", description: "Relative to the workspace." },
        bytes: { type: "integer", description: "Its size." },
        frames: { type: "integer", description: "Boxes that it shows." },
        left_out: { type: "integer", description: "Call paths too narrow or too deep to draw." },
        created: { type: "boolean", description: "Whether it was not there before." },
      },
      required: ["path", "bytes", "frames", "left_out", "created"],
    },
    skipped: {
      type: "array",
      description: "What of the profile was passed over.",
      items: {
        type: "object",
        properties: {
          reason: { type: "string", description: "What it was." },
          count: { type: "integer", description: "How many." },
        },
        required: ["reason", "count"],
      },
    },
    notes: {
      type: "array",
      items: { type: "string" },
      description: "What to know when reading the numbers.",
    },
  },
  required: ["format", "unit", "samples", "total", "functions", "hot", "paths"],
} as const satisfies Schema;

/** The answer. */
export type Output = Infer<typeof OUTPUT>;

/** A function. Lines and columns from 1; `file` relative to the workspace where it lies in it. */
export type FramePlace = Infer<
  {
    readonly type: "object";
    readonly properties: typeof PLACE;
    readonly required: readonly ["function"];
  }
>;
/** A function with its own and total time. */
export type Hot = Output["hot"][number];
/** A call path with what was spent at its end. */
export type HotPath = Output["paths"][number];
/** A caller or a callee of what is in focus. */
export type Neighbouring = NonNullable<Output["callers"]>[number];
/** A function beside itself in the baseline. */
export type Changed = NonNullable<Output["changes"]>[number];
