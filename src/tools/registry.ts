/** All tools there are: one line a tool, its module loaded when it is first asked for and not before. */

import { ToolError } from "../core/errors.ts";
import { didYouMean, nearestOf } from "../core/nearest.ts";
import { quoted } from "../core/printable.ts";
import type { Catalogue, Tool, ToolDescription } from "../core/tool.ts";
import { createCatalogue, type ToolSource } from "./catalogue.ts";
import { type CarriedListing, type ListedTool, listedTool } from "./listing.ts";
import { rankTools } from "./_rank_tools.ts";

/** One tool. Aliases stand here alone: they must resolve without loading the module. */
export interface RegistryEntry {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** It reads what is named and nothing else, in no time to speak of: the thread that hears a pipe answers it itself. */
  readonly looks?: true;
  /** A literal import, so that it is bundled apart. */
  readonly load: () => Promise<{ readonly default: Tool }>;
}

/** The tools of Toolgate. */
export const TOOLS: readonly RegistryEntry[] = [
  {
    name: "read_file",
    aliases: ["fs.read"],
    looks: true,
    load: () => import("./fs/read_file.ts"),
  },
  { name: "write_file", aliases: ["fs.write"], load: () => import("./fs/write_file.ts") },
  { name: "create_file", load: () => import("./fs/create_file.ts") },
  { name: "edit_file", load: () => import("./fs/edit_file.ts") },
  { name: "replace_text", aliases: ["custom.replace"], load: () => import("./fs/replace_text.ts") },
  { name: "append_file", load: () => import("./fs/append_file.ts") },
  { name: "apply_patch", load: () => import("./fs/apply_patch.ts") },
  { name: "delete_file", load: () => import("./fs/delete_file.ts") },
  { name: "copy_file", load: () => import("./fs/copy_file.ts") },
  { name: "move_file", load: () => import("./fs/move_file.ts") },
  { name: "create_directory", load: () => import("./fs/create_directory.ts") },
  {
    name: "list_directory",
    aliases: ["fs.list"],
    looks: true,
    load: () => import("./fs/list_directory.ts"),
  },
  {
    name: "get_file_info",
    aliases: ["metadata"],
    looks: true,
    load: () => import("./fs/get_file_info.ts"),
  },
  { name: "search_files", aliases: ["grep"], load: () => import("./fs/search_files.ts") },
  { name: "find_files", aliases: ["glob"], load: () => import("./fs/find_files.ts") },
  { name: "list_backups", looks: true, load: () => import("./fs/list_backups.ts") },
  { name: "restore_file", load: () => import("./fs/restore_file.ts") },
  { name: "file", load: () => import("./fs/file.ts") },
  {
    name: "run_command",
    aliases: ["run_shell_command", "shell.run"],
    load: () => import("./exec/run_command.ts"),
  },
  { name: "launch_app", load: () => import("./exec/launch_app.ts") },
  { name: "run_python", load: () => import("./exec/run_python.ts") },
  { name: "run_tests", load: () => import("./exec/run_tests.ts") },
  { name: "run_linter", load: () => import("./exec/run_linter.ts") },
  { name: "run_type_checker", load: () => import("./exec/run_type_checker.ts") },
  { name: "run_formatter", load: () => import("./exec/run_formatter.ts") },
  { name: "install_package", load: () => import("./exec/install_package.ts") },
  {
    name: "create_virtual_environment",
    load: () => import("./exec/create_virtual_environment.ts"),
  },
  { name: "git_status", aliases: ["git.status"], load: () => import("./git/git_status.ts") },
  { name: "git_log", aliases: ["git.log"], load: () => import("./git/git_log.ts") },
  { name: "git_diff", aliases: ["git.diff"], load: () => import("./git/git_diff.ts") },
  { name: "git_show", aliases: ["git.show"], load: () => import("./git/git_show.ts") },
  { name: "git_add", aliases: ["git.add"], load: () => import("./git/git_add.ts") },
  { name: "git_commit", aliases: ["git.commit"], load: () => import("./git/git_commit.ts") },
  { name: "git_branch", aliases: ["git.branch"], load: () => import("./git/git_branch.ts") },
  { name: "git_checkout", aliases: ["git.checkout"], load: () => import("./git/git_checkout.ts") },
  { name: "git_stash", aliases: ["git.stash"], load: () => import("./git/git_stash.ts") },
  { name: "git_merge", aliases: ["git.merge"], load: () => import("./git/git_merge.ts") },
  { name: "git_push", aliases: ["git.push"], load: () => import("./git/git_push.ts") },
  { name: "git_pull", aliases: ["git.pull"], load: () => import("./git/git_pull.ts") },
  { name: "git_worktree", aliases: ["git.worktree"], load: () => import("./git/git_worktree.ts") },
  { name: "fetch_url", aliases: ["custom.fetch"], load: () => import("./web/fetch_url.ts") },
  { name: "parse_documentation", load: () => import("./web/parse_documentation.ts") },
  { name: "fetch_api_docs", load: () => import("./web/fetch_api_docs.ts") },
  { name: "web_search", load: () => import("./web/web_search.ts") },
  { name: "search_github", load: () => import("./web/search_github.ts") },
  { name: "search_stackoverflow", load: () => import("./web/search_stackoverflow.ts") },
  { name: "analyze_performance", load: () => import("./analysis/analyze_performance.ts") },
  {
    name: "analyze_code_structure",
    load: () => import("./analysis/analyze_code_structure.ts"),
  },
  {
    name: "measure_code_complexity",
    load: () => import("./analysis/measure_code_complexity.ts"),
  },
  { name: "analyze_dependencies", load: () => import("./analysis/analyze_dependencies.ts") },
  { name: "find_code_patterns", load: () => import("./analysis/find_code_patterns.ts") },
  { name: "find_similar_code", load: () => import("./analysis/find_similar_code.ts") },
  { name: "spawn_child_agent", load: () => import("./agent/spawn_child_agent.ts") },
  { name: "get_agent_status", load: () => import("./agent/get_agent_status.ts") },
  { name: "send_message_to_agent", load: () => import("./agent/send_message_to_agent.ts") },
  { name: "terminate_agent", load: () => import("./agent/terminate_agent.ts") },
  { name: "list_active_agents", load: () => import("./agent/list_active_agents.ts") },
  { name: "aggregate_agent_results", load: () => import("./agent/aggregate_agent_results.ts") },
  {
    name: "get_timestamp",
    aliases: ["custom.timestamp"],
    load: () => import("./util/get_timestamp.ts"),
  },
  { name: "get_help", load: () => import("./util/get_help.ts") },
];

/** A set of tools that never changes: `extend` answers with another. It remembers what it loaded. */
export interface Registry extends ToolSource {
  /** Canonical names, in the order of the registry. */
  readonly names: readonly string[];
  /** Whether it is one that only looks: see {@linkcode RegistryEntry}. By name or alias; of no tool it is not. */
  looks(name: string): boolean;
  /** The same tools as `get_help` sees them. */
  readonly catalogue: Catalogue;
  /** All tools, as listings have them: loads those that none has as data. */
  listed(): Promise<readonly ListedTool[]>;
  /** Loads every tool. */
  list(): Promise<readonly Tool[]>;
  /** The same, and the libraries each would load later. */
  loadAll(): Promise<void>;
  /** With these tools, too. Throws where a name or an alias is taken. */
  extend(added: readonly RegistryEntry[]): Registry;
}

/** `carried`: of tools among them. Throws where two entries claim one name. */
export function createRegistry(
  entries: readonly RegistryEntry[] = TOOLS,
  carried: CarriedListing | null = null,
): Registry {
  const canonical = new Map<string, string>();
  const loaders = new Map(entries.map((entry) => [entry.name, entry]));
  for (const { name, aliases = [] } of entries) {
    for (const claimed of [name, ...aliases]) {
      if (canonical.has(claimed)) throw new TypeError(`two tools are named ${quoted(claimed)}`);
      canonical.set(claimed, name);
    }
  }
  const loaded = new Map<string, Tool>();

  async function load(entry: RegistryEntry): Promise<Tool> {
    const tool = loaded.get(entry.name) ?? (await entry.load()).default;
    loaded.set(entry.name, tool);
    return tool;
  }
  function entryOf(name: string): RegistryEntry {
    const entry = loaders.get(canonical.get(name) ?? "");
    if (entry === undefined) throw unknownTool(name, registry.nearest(name));
    return entry;
  }
  const list = () => Promise.all(entries.map(load));
  async function listed(): Promise<readonly ListedTool[]> {
    const known = new Map(
      carried === null ? [] : (await carried()).default.map((one) => [one.subject.name, one]),
    );
    return Promise.all(
      entries.map(async (entry) =>
        known.get(entry.name) ?? listedTool(await load(entry), entry.aliases ?? [])
      ),
    );
  }
  const descriptions = async (): Promise<readonly ToolDescription[]> =>
    (await listed()).map(({ description }) => description);

  const registry: Registry = {
    names: entries.map((entry) => entry.name),
    get catalogue() {
      return createCatalogue(registry);
    },
    looks: (name) => loaders.get(canonical.get(name) ?? "")?.looks === true,
    canonicalName: (name) => canonical.get(name) ?? null,
    aliasesOf: (name) => loaders.get(canonical.get(name) ?? "")?.aliases ?? [],
    get(name) {
      const known = loaded.get(name);
      if (known !== undefined) return known;
      const entry = entryOf(name);
      return loaded.get(entry.name) ?? load(entry);
    },
    async loadAll() {
      for (const tool of await list()) await tool.prepare?.();
    },
    listed,
    list,
    descriptions,
    search: async (text) => rankTools(text, await descriptions()),
    nearest(name) {
      const near = nearestOf(name, [...canonical.keys()], 6);
      return [...new Set(near.map((found) => canonical.get(found) ?? found))].slice(0, 3);
    },
    extend: (added) => createRegistry([...entries, ...added], carried),
  };
  return registry;
}

function unknownTool(name: string, nearest: readonly string[]): ToolError {
  const hint = didYouMean(nearest);
  return new ToolError(
    "UNKNOWN_TOOL",
    `there is no tool named ${quoted(name)}.${hint === "" ? " get_help lists all tools" : hint}`,
    { details: { nearest } },
  );
}
