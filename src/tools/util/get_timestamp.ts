/** `get_timestamp`: what time it is. */

import type { Infer, Schema } from "../../core/schema.ts";
import type { Tool } from "../../core/tool.ts";

const input = {
  type: "object",
  properties: {
    format: {
      type: "string",
      enum: ["iso", "unix", "human"],
      default: "iso",
      description: "How to write it.",
    },
  },
} as const satisfies Schema;

const output = {
  type: "object",
  properties: {
    timestamp: {
      oneOf: [{ type: "string" }, { type: "integer" }],
      description: "An integer for unix, else text.",
    },
  },
  required: ["timestamp"],
} as const satisfies Schema;

type Input = Infer<typeof input>;

const tool: Tool<typeof input, typeof output> = {
  name: "get_timestamp",
  category: "util",
  description:
    "Tells the time now, in UTC: iso (2025-11-21T23:05:00.000Z), unix (whole seconds since 1970), or " +
    "human (Friday, 21 November 2025, 23:05:00 UTC).",
  risk: "safe",
  permission: null,
  input,
  output,
  examples: [{ note: "seconds since 1970", args: { format: "unix" } }],
  describe: ({ format }) => `Get timestamp: ${format}`,
  capabilities: () => [],
  run: ({ format }, { now }) => ({ timestamp: written(now(), format) }),
};

export default tool;

function written(time: Date, format: Input["format"]): string | number {
  switch (format) {
    case "iso":
      return time.toISOString();
    case "unix":
      return Math.floor(time.getTime() / 1000);
    case "human":
      return humanTime(time);
  }
}

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

/** In English whatever the machine's locale: results must not depend on it. */
function humanTime(time: Date): string {
  const clock = time.toISOString().slice(11, 19);
  return `${DAYS[time.getUTCDay()]}, ${time.getUTCDate()} ${MONTHS[time.getUTCMonth()]} ` +
    `${time.getUTCFullYear()}, ${clock} UTC`;
}
