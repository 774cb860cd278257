/** The sections of a policy that hold settings: how much, how long, who, with what around it. */

import { isObject } from "../../core/json_value.ts";
import { type ProgramLimits, RISKS } from "../../core/tool.ts";
import {
  DURABILITIES,
  type PluginRule,
  type Policy,
  type Recovery,
  type Sandbox,
  SYNC_MODES,
  type ToolRule,
} from "../model.ts";
import {
  converted,
  list,
  mapping,
  object,
  optional,
  otherwise,
  required,
} from "../../config/collection.ts";
import { duration, type Field, flag, number, oneOf, size, text } from "../../config/field.ts";

/** The definition of a section. */
export type Section<K extends keyof Policy> = Field<NonNullable<Policy[K]>>;

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
/** In milliseconds. */
export const DAY = 24 * HOUR;
const KiB = 1024;
/** In bytes. */
export const MiB = 1024 * KiB;
const GiB = 1024 * MiB;

/** A day: far above any call, far below the 2^31 ms at which timers of the runtime overflow. */
export const timeout = duration({ min: 1, max: DAY });

/** `risk`. */
export const risk: Section<"risk"> = converted(
  object({
    allow: required(
      oneOf(RISKS),
      "the highest risk that runs unasked (safe, moderate or dangerous)",
    ),
    ask: required(
      oneOf(RISKS),
      "the highest risk that runs after an approval; what is above is denied",
    ),
  }),
  (thresholds, place) =>
    RISKS.indexOf(thresholds.ask) < RISKS.indexOf(thresholds.allow)
      ? place.in("ask").report(
        `${thresholds.ask} is below allow (${thresholds.allow}); write ${thresholds.allow} or more`,
      )
      : thresholds,
);

/** `shell`. */
export const shell: Section<"shell"> = object({
  mode: required(
    oneOf(["direct", "sh"]),
    "direct: only what runs without a shell; sh: what was judged whole goes to /bin/sh",
  ),
});

/** IEEE Std 1003.1-2017, 8.1: names of the environment, lower case too as programs use it. */
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

function wrongVariable(name: string): string | null {
  return VARIABLE.test(name)
    ? null
    : "is no name of a variable: letters, digits and _, no digit first, no wildcards";
}

/** The name of a variable. */
export const variable: Field<string> = text({
  what: "the name of a variable",
  pattern: VARIABLE.source,
  check: wrongVariable,
});

/** `environment`. */
export const environment: Section<"environment"> = object({
  pass: otherwise(
    list(variable),
    [],
    "variables that commands get from Toolgate's own environment; none where left out",
  ),
  set: otherwise(
    mapping(text({ what: "the value as text", empty: true, secret: true }), {
      pattern: VARIABLE.source,
      wrong: wrongVariable,
    }),
    {},
    "variables that commands get with the value given here",
  ),
});

const TOOL = /^[A-Za-z][A-Za-z0-9_.-]*$/;

const toolName = {
  pattern: TOOL.source,
  wrong: (name: string) =>
    TOOL.test(name) ? null : "is no name of a tool: letters, digits, _, . and -",
};

const toolRule: Field<ToolRule> = converted(
  object({
    enabled: optional(flag(), "false: the tool is neither offered nor run"),
    risk: optional(oneOf(RISKS), "the risk it counts as"),
    timeout: optional(timeout, "the longest a call of it may take"),
  }),
  ({ timeout, ...rule }) => ({ ...rule, ...(timeout === undefined ? {} : { timeoutMs: timeout }) }),
);

/** `tools`. */
export const tools: Section<"tools"> = mapping(toolRule, toolName);

/** `timeouts`. */
export const timeouts: Section<"timeouts"> = converted(
  object({
    default: otherwise(timeout, null, "the longest a call may take where its tool has no timeout"),
    kill_grace: otherwise(
      duration({ min: 0, max: HOUR }),
      null,
      "from SIGTERM to SIGKILL; 0 kills at once",
    ),
  }),
  (times) => ({ default: times.default, killGrace: times.kill_grace }),
);

/** Bytes that are held in memory as one piece: V8 has no longer strings than 2^29 - 24 characters. */
const held = size({ min: 1, max: 512 * MiB });
const count = number({ min: 1, max: 1_000_000 });

/** Those of `limits` that a rule of `commands` can say, too. */
const ofPrograms = {
  memory: optional(size({ min: MiB, max: 1024 * GiB }), "bytes of memory for a command"),
  processes: optional(number({ min: 1, max: 65_536 }), "processes of a command"),
  file: optional(size({ min: 1, max: 1024 * GiB }), "bytes of one file that a command writes"),
  cpu: optional(
    duration({ min: SECOND, max: 1_000 * HOUR }),
    "time on processors of a command, all its programs together",
  ),
};

/** `limits` of a rule of `commands`. */
export const programLimits: Field<Partial<ProgramLimits>> = converted(
  object(ofPrograms),
  (said, place) =>
    Object.keys(said).length === 0
      ? place.report("says nothing; write memory, processes, file or cpu, or leave it out")
      : said,
  { minProperties: 1 },
);

/** `limits`. */
export const limits: Section<"limits"> = object({
  read: optional(held, "bytes of one file that is read"),
  write: optional(held, "bytes of one file that is written"),
  output: optional(held, "bytes kept of a command's stdout, and of its stderr"),
  response: optional(held, "bytes of one answer from the network"),
  request: optional(size({ min: KiB, max: 512 * MiB }), "bytes of one request line"),
  entries: optional(count, "entries of one listing"),
  depth: optional(number({ min: 1, max: 1_000 }), "levels that a recursive listing goes down"),
  matches: optional(count, "matches of one search"),
  ...ofPrograms,
  concurrency: optional(number({ min: 1, max: 256 }), "requests that run at the same time"),
});

/** A path. No glob, no `.` or `..`: some become rules of the kernel as they stand. */
export const absolute = text({
  what: "an absolute path such as /usr",
  pattern: "^/",
  check(value) {
    if (!value.startsWith("/")) return "is not absolute; write a path such as /usr";
    if (value.split("/").some((part) => part === "." || part === "..")) {
      return "goes through . or ..; write where it leads";
    }
    return /[*?[\]{}]/.test(value) ? "holds a wildcard; write the folder itself" : null;
  },
});

const cacheFolder = text({
  what: "auto, off, or an absolute path",
  pattern: "^(auto|off|/.*)$",
  check(value) {
    if (value === "auto" || value === "off") return null;
    if (!value.startsWith("/")) {
      return "is not absolute; write auto, off, or a path such as /var/cache";
    }
    return value.split("/").some((part) => part === "." || part === "..")
      ? "goes through . or ..; write where it leads"
      : null;
  },
});

const mode = oneOf(["auto", "required", "off"], { false: "off" });

/** `sandbox`. */
export const sandbox: Field<Partial<Sandbox>> = object({
  kernel: optional(mode, "Landlock. auto: where it works; required: else nothing runs; off"),
  bubblewrap: optional(mode, "bubblewrap around commands. auto, required or off"),
  network: optional(oneOf(["allow", "deny"]), "whether commands may use the network"),
  system: optional(
    list(absolute),
    "what commands may read and execute beyond the workspace, in place of the built-in list",
  ),
  temporary: optional(flag(), "whether each call's commands get a TMPDIR of their own"),
  caches: optional(
    cacheFolder,
    "where commands keep what outlives a call: auto (below the user's cache folder), off, or a folder",
  ),
});

/** `approvals`. Timers of the runtime overflow at 2^31 ms, about 24 days. */
export const approvals: Section<"approvals"> = converted(
  object({
    remember: otherwise(
      duration({ min: 0, max: 20 * DAY }),
      null,
      "for how long an approval holds for the same action; 0 asks each time",
    ),
    expire: otherwise(
      duration({ min: 1, max: 20 * DAY }),
      null,
      "for how long a request waits for one",
    ),
  }),
  (times) => ({ rememberMs: times.remember, expireMs: times.expire }),
);

/** `backups`. */
export const backups: Section<"backups"> = converted(
  object({
    keep: otherwise(number({ min: 1, max: 1_000_000 }), null, "how many of one file, the newest"),
    age: otherwise(duration({ min: 1, max: 36_500 * DAY }), null, "the oldest that is kept"),
  }),
  ({ keep, age }) => ({ keep, ageMs: age }),
);

/** `durability`. */
export const durability: Section<"durability"> = oneOf(DURABILITIES);

const redaction = text({
  what: "a regular expression",
  check(value) {
    try {
      new RegExp(value.replace(/^\(\?i\)/, ""), "i");
      return null;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return `is no regular expression (${error.message})`;
    }
  },
});

/** `audit`. */
export const audit: Section<"audit"> = converted(
  object({
    file: otherwise(text({ what: "a path" }), null, "where the log is kept"),
    redact: otherwise(
      list(redaction),
      [],
      "regular expressions over names of arguments, variables and fields whose values are left out",
    ),
    required: otherwise(flag(), null, "false: calls run even where the log cannot be written"),
    sync: otherwise(
      oneOf(SYNC_MODES),
      null,
      "what must be on the disk before a call goes on: always, changes (all that is not safe) or never",
    ),
    max_size: otherwise(
      size({ min: 64 * KiB, max: 1024 * GiB }),
      null,
      "how large a file grows before it is put aside",
    ),
  }),
  ({ max_size, ...rest }) => ({ ...rest, maxSize: max_size }),
);

/** `recovery`. */
export const recovery: Field<Recovery> = converted(
  object({
    timeout: optional(
      object({
        retries: required(number({ min: 0, max: 10 }), "further attempts after a timeout"),
        factor: otherwise(
          number({ min: 1, max: 10, fraction: true }),
          2,
          "by how much each attempt may take longer than the one before",
        ),
      }),
      "what follows on a timeout",
    ),
    network: optional(
      object({
        retries: required(number({ min: 0, max: 10 }), "further attempts after an error"),
        backoff: otherwise(
          duration({ min: 0, max: HOUR }),
          500,
          "the wait before the first further attempt; it doubles each time",
        ),
      }),
      "what follows on an error of the network",
    ),
    permission: optional(
      oneOf(["ask", "fail"]),
      "what follows when an agent lacks the permission for a tool: ask somebody, or fail",
    ),
    alternatives: optional(
      mapping(
        list(text({ what: "the name of a tool", pattern: TOOL.source, check: toolName.wrong }), {
          min: 1,
        }),
        toolName,
      ),
      "tools that may be tried in the place of one that failed",
    ),
    degraded: optional(
      flag(),
      "true: what was found when the time ran out is an answer, and says so",
    ),
  }),
  ({ network, ...rest }) => ({
    ...rest,
    ...(network === undefined
      ? {}
      : { network: { retries: network.retries, backoffMs: network.backoff } }),
  }),
);

const manifests = list(text({ what: "a path or glob of manifests" }));

const pluginRule: Field<PluginRule> = object({
  manifests: otherwise(
    manifests,
    [],
    "paths and globs of manifests, relative to the folder of this file",
  ),
  registration: otherwise(
    oneOf(["allow", "deny"]),
    null,
    "allow: a pipe may register custom tools while it runs, which the rules of commands hold",
  ),
});

/** `plugins`: a list of manifests, or a mapping that says more. */
export const plugins: Section<"plugins"> = {
  schema: { anyOf: [manifests.schema, pluginRule.schema] },
  read(value, place) {
    if (isObject(value)) {
      return pluginRule.read(value, place);
    }
    const read = manifests.read(value, place);
    return read === undefined ? undefined : { manifests: read, registration: null };
  },
};
