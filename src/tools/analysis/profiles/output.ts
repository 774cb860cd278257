/** The shape of what `analyze_performance` answers. */

import type { JsonSchema, Schema } from "../../../core/schema.ts";
import { type FormatName, FORMATS, type Skipped } from "./model.ts";

/** A function. Lines and columns from 1; `file` relative to the workspace where it lies in it. */
export interface Place {
  readonly function: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

/** Numbers are in the profile's unit, percentages of its total. */
export interface Hot extends Place {
  readonly self: number;
  readonly self_percent: number;
  readonly total: number;
  readonly total_percent: number;
}

export interface HotPath {
  /** From the outermost caller to the function in which the time was spent; long ones cut in the middle. */
  readonly frames: readonly string[];
  readonly self: number;
  readonly self_percent: number;
}

export interface Neighbouring extends Place {
  readonly total: number;
  readonly total_percent: number;
}

export interface Changed extends Place {
  readonly self: number;
  readonly self_before: number;
  readonly total: number;
  readonly total_before: number;
}

export interface Output {
  readonly format: FormatName;
  readonly unit: string;
  readonly samples: number;
  readonly total: number;
  readonly functions: number;
  readonly hot: readonly Hot[];
  readonly paths: readonly HotPath[];
  readonly focus?: { readonly functions: readonly Place[]; readonly matched: number };
  readonly callers?: readonly Neighbouring[];
  readonly callees?: readonly Neighbouring[];
  readonly baseline?: {
    readonly format: FormatName;
    readonly samples: number;
    readonly total: number;
  };
  readonly changes?: readonly Changed[];
  readonly flame_graph?: {
    readonly path: string;
    readonly bytes: number;
    readonly frames: number;
    readonly left_out: number;
    readonly created: boolean;
  };
  readonly skipped?: readonly Skipped[];
  readonly notes?: readonly string[];
}

const PLACE: Readonly<Record<string, JsonSchema>> = {
  function: { type: "string", description: "Its name as the profile has it." },
  file: { type: "string", description: "Its source, or its program or library." },
  line: { type: "integer", description: "Where it begins, as far as is known." },
  column: { type: "integer", description: "Likewise." },
};
const SELF: JsonSchema = { type: "number", description: "Spent in it itself." };
const SELF_PERCENT: JsonSchema = { type: "number", description: "Of the whole profile." };
const TOTAL: JsonSchema = {
  type: "number",
  description: "Spent in it and in all that it called; recursion counted once.",
};
const TOTAL_PERCENT: JsonSchema = { type: "number", description: "Of the whole profile." };

const NEIGHBOURS: JsonSchema = {
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
};

export const OUTPUT: Schema<Output> = {
  type: "object",
  properties: {
    format: {
      type: "string",
      enum: [...FORMATS],
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
            description: "From the outermost caller on; long ones are cut in the middle.",
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
};
