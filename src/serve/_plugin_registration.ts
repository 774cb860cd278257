/** Custom tools that come and go over a pipe, where the policy lets them. */

import { dirname } from "@std/path";
import { type ResultError, ToolError } from "../core/errors.ts";
import { printable } from "../core/printable.ts";
import type { CallRequest } from "../core/request.ts";
import { JSON_NULL, type JsonText, jsonText, toJsonText } from "../core/result.ts";
import type { StayingEngine } from "../engine/create_engine.ts";
import { execute } from "../engine/execute.ts";
import type { CallRecord } from "../engine/recorder.ts";
import { subjectOf } from "../engine/judge/decide_call.ts";
import { sha256 } from "../core/sha256.ts";
import { describeFailure } from "../engine/run_tool.ts";
import { aliasOf, isModule, type PluginManifest } from "../plugins/manifest.ts";
import { LONGEST_MODULE } from "../plugins/module_source.ts";
import type { ParsedManifest } from "../plugins/parse_manifest.ts";
import type { Operation } from "./_read_request.ts";

/** An operation that changes which custom tools there are. */
export type PluginOperation = Extract<Operation, { op: "register" | "unregister" }>;

/** Who asks, and whether the policies let a pipe register custom tools at all. */
export interface RegistrationRules {
  readonly agent: string;
  readonly allowed: boolean;
}

/**
 * Registers or removes, and puts that on record first. Throws PERMISSION_DENIED; INVALID_ARGUMENTS with all that is
 * wrong with the manifest; INVALID_REQUEST for a name that is not the pipe's to change; AUDIT_FAILED; and what reading
 * a file throws.
 */
export async function changePlugins(
  engine: StayingEngine,
  rules: RegistrationRules,
  operation: PluginOperation,
): Promise<Readonly<Record<string, unknown>>> {
  const { op, ...args } = operation;
  // With a dot: no tool has such a name, so that the log tells them apart.
  const name = `plugin.${op}`;
  const { source: _, ...shown } = args as CallRequest["args"];
  const begin = (hash: string | null) =>
    engine.recorder.begin(requestOf(rules.agent, name, {
      ...shown,
      // The text of a module may be long: on record it is known by its hash.
      ...(hash === null ? {} : { module_sha256: hash }),
    }));
  let record: CallRecord | null = null;
  const decided = (refused: string | null, hash: string | null): void => {
    record = begin(hash);
    record.decided({ name, describe: () => describe(operation) }, shown, {
      effect: refused === null ? "allow" : "deny",
      rule: null,
      risk: RISK,
      verdicts: [],
    });
  };
  const ended = (output: JsonText, error: ResultError | null) =>
    (record ?? begin(null)).ended({
      tool: name,
      success: error === null,
      output,
      error,
      risk: RISK,
      latencyMs: 0,
      usage: {},
    });
  try {
    const refused = await refusalOf(engine, rules);
    if (refused !== null) {
      decided(refused, null);
      throw new ToolError("PERMISSION_DENIED", `${op}: ${refused}`);
    }
    let output: Readonly<Record<string, unknown>>;
    if (operation.op === "unregister") {
      decided(null, null);
      output = engine.plugins.unregister(operation.tool);
    } else {
      const manifest = await read(engine, rules, operation);
      output = await register(engine, manifest, (hash) => decided(null, hash));
    }
    ended(toJsonText(output), null);
    return output;
  } catch (error) {
    ended(JSON_NULL, describeFailure(op, error));
    throw error;
  }
}

/** It changes what there is, and can be taken back. */
const RISK = "moderate";

function requestOf(agent: string, tool: string, args: CallRequest["args"]): CallRequest {
  return { id: null, tool, args, agent, timeoutMs: null, preview: false, stream: false };
}

function describe(operation: PluginOperation): string {
  if (operation.op === "unregister") return `Remove custom tool: ${printable(operation.tool, 100)}`;
  return "path" in operation
    ? `Register a custom tool from ${printable(operation.path, 200)}`
    : "Register a custom tool";
}

/** Why this agent may not; null where it may. A custom tool runs commands, so who may not does not get one. */
async function refusalOf(
  { registry, rulebook }: StayingEngine,
  { agent, allowed }: RegistrationRules,
): Promise<string | null> {
  if (!allowed) {
    return "the policies let no pipe change the custom tools; the first must say " +
      "plugins: { registration: allow }, and no other deny it";
  }
  const runCommand = await registry.get("run_command");
  return rulebook.offers(subjectOf(runCommand, agent))
    ? null
    : "custom tools run commands, and the policies do not offer run_command to this agent";
}

/** The tool that is asked for, with its module where it has one. */
async function read(
  engine: StayingEngine,
  { agent }: RegistrationRules,
  operation: Extract<PluginOperation, { op: "register" }>,
): Promise<PluginManifest> {
  const through = (path: string) => readThrough(engine, agent, path);
  const text = "path" in operation
    ? await through(operation.path)
    // JSON is YAML, too: one reader, with one set of limits.
    : JSON.stringify(operation.manifest);
  const { languageOf, parseManifest } = await import("../plugins/parse_manifest.ts");
  const manifest = parse(parseManifest(text, "manifest"));
  const given = "path" in operation ? null : operation.source ?? null;
  if (!isModule(manifest)) {
    if (given === null) return manifest;
    throw refusedArguments([{ path: "source", message: "the manifest names no module" }]);
  }
  const folder = "path" in operation ? `${dirname(operation.path)}/` : "";
  const source = given ?? await through(`${folder}${manifest.module.replace(/^\.\//, "")}`);
  if (source.length > LONGEST_MODULE) {
    const message = `has ${source.length} characters; at most ${LONGEST_MODULE}`;
    throw refusedArguments([{ path: "module", message }]);
  }
  return {
    ...manifest,
    source: { language: languageOf(manifest.module) ?? "javascript", text: source },
  };
}

/** `decided`: told the hash of the module before anything changes; null where the tool has none. */
async function register(
  engine: StayingEngine,
  manifest: PluginManifest,
  decided: (hash: string | null) => void,
): Promise<Readonly<Record<string, unknown>>> {
  const source = isModule(manifest) ? manifest.source : null;
  const hash = source === null ? null : sha256(source.text);
  if (source !== null && isModule(manifest)) {
    const { readModule, renderProblem } = await import("../plugins/module_source.ts");
    const checked = await readModule(source);
    if ("problems" in checked) {
      throw refusedArguments(checked.problems.map((problem) => ({
        path: "module",
        message: renderProblem(manifest.module, problem),
      })));
    }
  }
  decided(hash);
  const { replaced } = engine.plugins.register(manifest);
  const { name } = manifest;
  const module = hash === null ? {} : { module_sha256: hash };
  return { tool: name, aliases: [aliasOf(name)], replaced, ...module };
}

/** As the agent itself could read it: by the tool, under the policy. */
async function readThrough(engine: StayingEngine, agent: string, path: string): Promise<string> {
  const { output, error } = await execute(engine, requestOf(agent, "read_file", { path }), {
    onEvent: () => {},
    onRunning: () => {},
    approver: {
      ask: () =>
        Promise.resolve({ answer: "nobody", hint: "send the manifest itself instead of its path" }),
    },
  });
  if (error !== null) {
    const { code, message, details, rule } = error;
    throw new ToolError(code, message, { ...(details === null ? {} : { details }), rule });
  }
  return (JSON.parse(jsonText(output)) as { readonly content: string }).content;
}

function parse(parsed: ParsedManifest): PluginManifest {
  const problems = "problems" in parsed
    ? parsed.problems.map(({ key, message }) => ({ path: key, message }))
    : ownProblems(parsed.manifest);
  if ("manifest" in parsed && problems.length === 0) return parsed.manifest;
  throw refusedArguments(problems);
}

type Problem = { readonly path: string; readonly message: string };

function refusedArguments(problems: readonly Problem[]): ToolError {
  const shown = problems.slice(0, MOST_PROBLEMS);
  const told = shown.map(({ path, message }) => path === "" ? message : `${path}: ${message}`);
  const more = problems.length - shown.length;
  return new ToolError(
    "INVALID_ARGUMENTS",
    `register: ${told.join("; ")}${more > 0 ? `; and ${more} more` : ""}`,
    { details: { problems: shown } },
  );
}

const MOST_PROBLEMS = 20;

/** A manifest that a policy names may lend a command to agents without code_execution; one from a pipe may not. */
function ownProblems(
  { permission }: PluginManifest,
): readonly { readonly path: string; readonly message: string }[] {
  return permission === "code_execution" ? [] : [{
    path: "permission",
    message: `a tool that is registered over a pipe needs code_execution, not ${permission}`,
  }];
}
