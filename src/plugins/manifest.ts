/** What a custom tool is: a manifest as plain data, which threads can be sent and binaries can carry. */

import type { JsonSchema, Schema } from "../core/schema.ts";
import type { Category, PermissionGroup, Risk, ToolExample } from "../core/tool.ts";

/** The arguments of a call, once its parameters' schema has passed them. */
export type PluginArguments = Readonly<Record<string, unknown>>;

/** Where the text of a parameter goes. */
export interface Placeholder {
  readonly parameter: string;
  /** Of a list: one word for each of its items. */
  readonly each: boolean;
  /** Whether a word may begin with a dash because of it. */
  readonly dash: boolean;
}

/** One word of a command: text as it stands, and placeholders whose text is put in and never looked at again. */
export type Word = readonly (string | Placeholder)[];

/** Words that are there only where a parameter is given (and is `is`, where that is said). */
export interface WordGroup {
  readonly when: string;
  readonly is?: string | number | boolean;
  readonly words: readonly Word[];
}

/** What a command reads: the text of a parameter (its JSON where it is no text), or all arguments as JSON. */
export type InputSource = { readonly parameter: string } | { readonly all: true };

/** How a command's output is read: as it is, as a list of lines, as one JSON value. */
export const OUTPUT_FORMATS = ["text", "lines", "json"] as const;
/** A way to read a command's output. */
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** What all custom tools have. */
interface ToolManifest {
  readonly version: 1;
  readonly name: string;
  readonly description: string;
  readonly category: Category;
  /** The least that a call of it counts as; what it would do can only raise it. */
  readonly risk: Risk;
  readonly permission: PermissionGroup;
  readonly parameters: Schema<PluginArguments>;
  /** Variables that it needs, which the policy must pass or set. */
  readonly env: readonly string[];
  /** Milliseconds; null for what the policy gives. */
  readonly timeoutMs: number | null;
  readonly output: {
    readonly format: OutputFormat;
    /** Of a JSON output; null where any will do. */
    readonly schema: JsonSchema | null;
  };
  readonly examples: readonly ToolExample[];
}

/** A wrapped command. */
export interface CommandManifest extends ToolManifest {
  /** The first is the program, without placeholders. */
  readonly command: readonly (Word | WordGroup)[];
  /** Where it starts, relative to the workspace; null for there. */
  readonly cwd: Word | null;
  readonly stdin: InputSource | null;
  /** Exit statuses that are no failure. */
  readonly success: readonly number[];
}

/** A module that runs in a process of its own. Its output is JSON. */
export interface ModuleManifest extends ToolManifest {
  /** Its file, relative to the manifest's folder and within it. */
  readonly module: string;
  readonly needs: ModuleNeeds;
  /** Null in a manifest that was read without it. */
  readonly source: ModuleSource | null;
}

/** Files that a module is granted, where the policy allows them to the call. What it may write it may read, too. */
export interface ModuleNeeds {
  readonly read: readonly PathNeed[];
  readonly write: readonly PathNeed[];
}

/** A path of the workspace, of text and arguments. */
export interface PathNeed {
  readonly path: Word;
  /** With all that lies below. */
  readonly tree: boolean;
}

/** The text of a module, as it was read beside its manifest. */
export interface ModuleSource {
  readonly language: "typescript" | "javascript";
  readonly text: string;
}

/** A custom tool. */
export type PluginManifest = CommandManifest | ModuleManifest;

/** Whether the tool is a module rather than a command. */
export function isModule(manifest: PluginManifest): manifest is ModuleManifest {
  return "module" in manifest;
}

/** Whether a part of a command is a group. */
export function isGroup(part: Word | WordGroup): part is WordGroup {
  return !Array.isArray(part);
}

/** The alias of a custom tool: its name among the custom ones. */
export function aliasOf(name: string): string {
  return `${CUSTOM}${name}`;
}

/** The name behind an alias of that kind, whether such a tool is there or not; null for any other text. */
export function nameBehind(alias: string): string | null {
  return alias.startsWith(CUSTOM) ? alias.slice(CUSTOM.length) : null;
}

const CUSTOM = "custom.";
