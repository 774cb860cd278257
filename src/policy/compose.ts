/** A policy for a project, written out with comments: from what was found in it to YAML text. Pure. */

import type { CanonicalPath } from "../core/capability.ts";
import { expandBraces } from "../core/braces.ts";
import { splitCommand } from "./match/argv.ts";
import { compileCommandRules, findCommand } from "./match/command_rules.ts";
import { limitText } from "./limit_text.ts";
import { formatDuration } from "../config/duration.ts";
import { formatSize } from "../config/size.ts";
import { type CommandRule, DEFAULTS, type Policy } from "./model.ts";

/** What was found in a project, and what its own work takes. */
export interface ProjectPart {
  /** `npm`, `Python`, `git`: for comments. */
  readonly name: string;
  /** The file that it was seen by. */
  readonly seenBy: string;
  /** Command patterns that run and check the project. */
  readonly allow: readonly string[];
  /** Those that bring in code from elsewhere, or go out; with why they are asked for. */
  readonly ask: readonly string[];
  readonly askReason: string;
  /** Bytes that those may use, where that is more than `limits.memory` below. */
  readonly askMemory: number | null;
  /** Variables of the environment that its programs need beyond the usual. */
  readonly environment: readonly string[];
  /** What its author should know, in a sentence or two. */
  readonly note: string | null;
}

/** What runs in a project beside its code: changing it is as good as running something. */
export interface ProjectWorkflows {
  /** Globs of files that other machines run. */
  readonly globs: readonly string[];
}

const HEAD =
  `# Toolgate policy for this project, written by "toolgate policy init": read it, change it, keep it
# out of the agent's reach, and name it with --policy. "toolgate policy check" says whether it is right,
# "toolgate policy explain TOOL KEY=VALUE" why something is allowed or not.
#
# Of all rules that fit, the strictest counts: deny beats ask beats allow. What no rule names is denied.
version: 1
workspace: . # where requests' relative paths start; --root overrides it

# Up to allow: runs. Up to ask: needs an approval. Above: denied.
# safe reads, moderate changes what can be changed back, dangerous is the rest.
risk: { allow: moderate, ask: dangerous }
`;

const PATHS = `
# Globs, relative to the workspace or absolute. ** is any number of folders.
paths:
  - { allow: [read, write], match: ["**"] }
  - deny: [write]
    match: ["**/.git/**", ".toolgate/**"]
    reason: repository internals and Toolgate's own files; git commands change the former
  - deny: [read, write]
    match:
      - "**/.env"
      # Every other .env.NAME, but .env.example and .env.sample, which hold no secrets.
      - "**/.env.{[!es]*,e,ex,e[!x]*,ex[!a]*,s,sa,s[!a]*,sa[!m]*}"
      - "**/.env.*.*"
      - "**/*.{key,p12,pfx,jks,keystore}"
      # Every other .pem, but cacert.pem, which holds public certificates and comes with pip and others.
      - "**/{[!c]*,c,c[!a]*,ca,ca[!c]*,cac,cac[!e]*,cace,cace*[!t]}.pem"
      - "**/id_{rsa,dsa,ecdsa,ed25519}*"
      - "**/{.ssh,.aws,.gnupg,.kube}/**"
      - "**/{.netrc,.pgpass,.pypirc,.git-credentials}"
      - "**/.docker/config.json"
    # What packages bring along, such as certificates for their tests, are nobody's secrets: they can be removed, too.
    outside: [node_modules, site-packages]
    reason: secrets
`;

const COMMANDS = `
# By the ending of a name: what must not be written, though its folder may be. What builds make bears endings like .so
# and .exe, hence none are named here; for example:
# extensions: { write: { deny: [.exe, .dll] } }

# Beginnings of commands, word by word: "git status" fits "git status -s" and not "git push".
# A word may hold * and {a,b}.
commands:
  # What harmless programs do, and what runs and checks projects. What they are pointed at is held against
  # paths, what their arguments make of them against risk, and the kernel's rules hold what they run.
`;

const RESTRICTED = `
  # Asked for, and refused whoever approves.
`;

const TAIL = `
# git in lines and by tools reaches repositories by https where a rule of network names the host, and those of the
# workspace by their paths.
git: { protocols: [https, file] }

network: [] # no host; for example: - { allow: ["*.github.com"], methods: [GET, HEAD] }

timeouts: { default: 30s, kill_grace: 5s }

# Builds and tests take their time; a call says timeout_ms where it wants less.
tools:
  run_command: { timeout: 10m }
  run_tests: { timeout: 10m }
  run_linter: { timeout: 5m }
  run_type_checker: { timeout: 5m }
  run_formatter: { timeout: 5m }
  run_python: { timeout: 5m }

# What commands get; what is not named has its usual value (toolgate policy show).
limits: { memory: 2GiB, processes: 256 }

agents:
  "*": { permissions: [file_read] }
  root: { permissions: [all] }

# auto: the kernel holds programs where this machine can. required: else nothing runs.
# Programs may read and execute the system's own folders; tools that live elsewhere (below a home folder,
# in /opt) are named in sandbox.system, which then stands for the whole list.
# temporary: each call's programs have a TMPDIR of their own. caches: what they keep from call to call lies in a
# folder of its own for each workspace, outside of it.
sandbox: { kernel: auto, network: deny, temporary: true, caches: auto }

approvals: { remember: 10m, expire: 5m }

# audit: { file: .toolgate/audit.ndjson } # a log of every decision and outcome; "toolgate audit verify"
`;

/**
 * The whole text. It loads, and a review finds nothing odd in it. `base`: the policy that would hold without it; what
 * that says of commands it says too, and beside it what the project's own work takes.
 */
export function composePolicy(
  parts: readonly ProjectPart[],
  { globs }: ProjectWorkflows,
  base: Pick<Policy, "commands" | "environment">,
): string {
  const commands = base.commands ?? [];
  const isUnsaid = unsaidBy(commands);
  return [
    HEAD,
    PATHS,
    ...(globs.length === 0 ? [] : [
      `  - ask: [write]\n    match: [${globs.map(scalar).join(", ")}]\n` +
      "    reason: other machines run what stands there\n",
    ]),
    COMMANDS,
    ...commands.filter(({ effect }) => effect === "allow").map(composeRule),
    ...parts.map((part) => composePart(part, isUnsaid)),
    ...(parts.length === 0
      ? ["\n  # Nothing of this project was recognized: name what checks it here.\n"]
      : []),
    RESTRICTED,
    ...commands.filter(({ effect }) => effect !== "allow").map(composeRule),
    composeEnvironment(parts, base.environment ?? DEFAULTS.environment),
    TAIL,
  ].join("");
}

/** Of a pattern, the ways to read it of which no rule says anything. */
function unsaidBy(commands: readonly CommandRule[]): (pattern: string) => readonly string[] {
  const cwd = "/" as CanonicalPath;
  const rules = compileCommandRules(commands, {
    source: "",
    workspace: cwd,
    caseInsensitive: false,
  });
  return (pattern) =>
    expandBraces(pattern, { classes: false }).filter((reading) =>
      findCommand(rules, { argv: splitCommand(reading), program: null, cwd }).effect === "unnamed"
    );
}

function composeRule(
  { effect, patterns, exact, except, risk, limits = {}, timeoutMs, reason }: CommandRule,
): string {
  const said = Object.entries(limits).map(([name, value]) => `${name}: ${limitText(name, value)}`);
  const more = [
    ...(exact ? ["    exact: true"] : []),
    ...(except === undefined ? [] : [list("    except: ", "      ", except.map(scalar))]),
    ...(risk === undefined ? [] : [`    risk: ${risk}`]),
    ...(said.length === 0 ? [] : [`    limits: { ${said.join(", ")} }`]),
    ...(timeoutMs === undefined ? [] : [`    timeout: ${formatDuration(timeoutMs)}`]),
    ...(reason === undefined ? [] : [`    reason: ${scalar(reason)}`]),
  ];
  return `${[rule(effect, patterns), ...more].join("\n")}\n`;
}

function composePart(
  { name, seenBy, allow: wanted, ask: asked, askReason, askMemory, note }: ProjectPart,
  isUnsaid: (pattern: string) => readonly string[],
): string {
  const [allow, ask] = [wanted.flatMap(isUnsaid), asked.flatMap(isUnsaid)];
  const lines = [`\n  # ${comment(name)} (${comment(seenBy)}).`];
  if (note !== null) lines.push(...wrap(note).map((line) => `  # ${comment(line)}`));
  if (allow.length > 0) lines.push(rule("allow", allow));
  if (ask.length > 0) {
    lines.push(rule("ask", ask), `    reason: ${askReason}`);
    if (askMemory !== null) lines.push(`    limits: { memory: ${formatSize(askMemory)} }`);
  }
  return `${lines.join("\n")}\n`;
}

const WIDTH = 96;

/** On one line where it fits, else as few as take it. */
function rule(effect: string, patterns: readonly string[]): string {
  return list(`  - ${effect}: `, "    ", patterns.map(scalar));
}

/** A list in brackets behind `lead`; `indent`: where its lines begin, less one step. */
function list(lead: string, indent: string, items: readonly string[]): string {
  const line = `${lead}[${items.join(", ")}]`;
  if (line.length <= WIDTH) return line;
  const lines: string[] = [];
  for (const item of items) {
    const last = lines.at(-1);
    if (last === undefined || indent.length + last.length + item.length > WIDTH - 4) {
      lines.push(`${item},`);
    } else lines[lines.length - 1] = `${last} ${item},`;
  }
  return [`${lead}[`, ...lines.map((one) => `${indent}  ${one}`), `${indent}]`].join("\n");
}

function composeEnvironment(
  parts: readonly ProjectPart[],
  base: NonNullable<Policy["environment"]>,
): string {
  const pass = [
    ...base.pass,
    ...parts.flatMap(({ environment }) => environment),
  ];
  return `
shell: { mode: direct } # only what runs without a shell

# What commands see of Toolgate's environment: these variables and nothing else.
environment:
${list("  pass: ", "  ", [...new Set(pass)])}
  set: { GIT_TERMINAL_PROMPT: "0" }
`;
}

/** Plain where YAML reads it as that very text, else in quotes. */
function scalar(text: string): string {
  return /^[A-Za-z.][A-Za-z0-9_./+-]*(?: [A-Za-z0-9_./+-]+)*$/.test(text) &&
      !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text)
    ? text
    : JSON.stringify(text);
}

/** One line, whatever the project's files say. */
function comment(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, " ");
}

function wrap(text: string): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length + 1 > WIDTH - 6) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
