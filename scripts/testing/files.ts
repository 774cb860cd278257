/** Which test files there are, what each needs, and how long each takes: by the last runs here, else by estimate. */

import { join, normalize } from "@std/path";

/** What a file's tests run: the modules, or `dist/toolgate`. */
export type Part = "unit" | "binary";

/** A file of tests: its path in the repository, and the seconds that it takes. */
export interface TestFile {
  readonly path: string;
  readonly seconds: number;
}

/** Seconds by path. */
export type Durations = Readonly<Record<string, number>>;

/** Folders of tests. Those of `tests/unit` run from the sources, the others run `dist/toolgate`. */
export const TEST_FOLDERS: readonly string[] = ["tests/unit", "tests/attacks", "tests/binary"];

/** Where nothing is recorded: seconds of a whole run on two cores, of files that take another time than is usual. */
const LONG: Durations = {
  "tests/attacks/agreed_test.ts": 115,
  "tests/attacks/analysis_worlds_test.ts": 25,
  "tests/attacks/attacks_test.ts": 171,
  "tests/attacks/existence_test.ts": 20,
  "tests/attacks/generated_test.ts": 27,
  "tests/attacks/legitimate_test.ts": 21,
  "tests/attacks/pipe_test.ts": 28,
  "tests/attacks/shown_test.ts": 28,
  "tests/attacks/stall_test.ts": 89,
  "tests/binary/analysis/analysis_attacks_test.ts": 10,
  "tests/binary/analysis/analysis_test.ts": 17,
  "tests/binary/analysis/analyze_performance_test.ts": 14,
  "tests/binary/build/empty_root_test.ts": 41,
  "tests/binary/build/listing_test.ts": 19,
  "tests/binary/build/release_test.ts": 50,
  "tests/binary/build/seal_test.ts": 50,
  "tests/binary/build/sealed_test.ts": 42,
  "tests/binary/build/telemetry_test.ts": 1,
  "tests/binary/calls/call_test.ts": 20,
  "tests/binary/calls/protocol_test.ts": 16,
  "tests/binary/calls/serve_test.ts": 21,
  "tests/binary/calls/terminal_test.ts": 48,
  "tests/binary/files/odd_files_test.ts": 20,
  "tests/binary/files/races_test.ts": 32,
  "tests/binary/files/search_shared_test.ts": 26,
  "tests/binary/files/search_test.ts": 28,
  "tests/binary/files/syntax_test.ts": 32,
  "tests/binary/gate/acp_children_test.ts": 16,
  "tests/binary/gate/agents_apart_test.ts": 14,
  "tests/binary/gate/agents_apart_tokens_test.ts": 15,
  "tests/binary/gate/asked_while_running_test.ts": 12,
  "tests/binary/gate/child_adversity_test.ts": 93,
  "tests/binary/gate/child_agents_test.ts": 116,
  "tests/binary/gate/child_clones_test.ts": 32,
  "tests/binary/gate/child_conflicts_test.ts": 11,
  "tests/binary/gate/child_owners_test.ts": 13,
  "tests/binary/gate/child_tokens_test.ts": 38,
  "tests/binary/gate/gate_callers_test.ts": 13,
  "tests/binary/gate/gate_floods_test.ts": 11,
  "tests/binary/gate/gate_mcp_test.ts": 2,
  "tests/binary/gate/gate_test.ts": 34,
  "tests/binary/gate/gate_tokens_test.ts": 20,
  "tests/binary/gate/pipe_children_test.ts": 60,
  "tests/binary/git/agent_worktree_test.ts": 22,
  "tests/binary/git/git_cut_removal_test.ts": 78,
  "tests/binary/git/git_cut_short_test.ts": 233,
  "tests/binary/git/git_denied_history_test.ts": 31,
  "tests/binary/git/git_filters_test.ts": 10,
  "tests/binary/git/git_hooks_test.ts": 23,
  "tests/binary/git/git_line_hooks_test.ts": 41,
  "tests/binary/git/git_lines_test.ts": 10,
  "tests/binary/git/git_moved_refs_test.ts": 50,
  "tests/binary/git/git_network_test.ts": 29,
  "tests/binary/git/git_odd_repositories_test.ts": 157,
  "tests/binary/git/git_peers_test.ts": 18,
  "tests/binary/git/git_test.ts": 96,
  "tests/binary/git/git_ways_test.ts": 98,
  "tests/binary/git/worktree_removal_test.ts": 32,
  "tests/binary/held/attributes_test.ts": 28,
  "tests/binary/held/broker_test.ts": 25,
  "tests/binary/held/denied_loopback_test.ts": 29,
  "tests/binary/held/hostile_machine_test.ts": 23,
  "tests/binary/held/hostile_programs_test.ts": 15,
  "tests/binary/held/kernel_missing_test.ts": 34,
  "tests/binary/held/kernel_requests_test.ts": 138,
  "tests/binary/held/layers_test.ts": 20,
  "tests/binary/held/process_list_test.ts": 2,
  "tests/binary/held/program_attacks_test.ts": 19,
  "tests/binary/held/sockets_test.ts": 76,
  "tests/binary/held/threads_test.ts": 15,
  "tests/binary/lines/commands_test.ts": 49,
  "tests/binary/lines/installed_packages_test.ts": 20,
  "tests/binary/lines/leading_test.ts": 16,
  "tests/binary/lines/listed_programs_test.ts": 11,
  "tests/binary/lines/named_programs_test.ts": 90,
  "tests/binary/lines/own_word_lists_test.ts": 24,
  "tests/binary/lines/shell_words_test.ts": 1,
  "tests/binary/lines/streaming_test.ts": 10,
  "tests/binary/lines/toolchain_test.ts": 94,
  "tests/binary/mcp/mcp_inspector_test.ts": 15,
  "tests/binary/mcp/mcp_schema_test.ts": 12,
  "tests/binary/mcp/mcp_test.ts": 17,
  "tests/binary/network/network_test.ts": 26,
  "tests/binary/network/program_network_test.ts": 18,
  "tests/binary/plugins/plugins_module_test.ts": 53,
  "tests/binary/plugins/plugins_test.ts": 37,
  "tests/binary/policy/approvals_test.ts": 41,
  "tests/binary/policy/audit_test.ts": 23,
  "tests/binary/policy/policy_tools_test.ts": 90,
  "tests/binary/readme/examples_test.ts": 1,
  "tests/binary/readme/readme_test.ts": 32,
  "tests/unit/audit/harmless_test.ts": 3,
  "tests/unit/cli/policy/project_parts_test.ts": 13,
  "tests/unit/cli/start_graph_test.ts": 6,
  "tests/unit/cli/tools/schema_export_test.ts": 9,
  "tests/unit/core/parse_arguments_oracle_test.ts": 6,
  "tests/unit/engine/create_engine_test.ts": 5,
  "tests/unit/engine/judge/explain_test.ts": 4,
  "tests/unit/engine/pool/agreed_check_test.ts": 6,
  "tests/unit/engine/pool/inline_runner_test.ts": 3,
  "tests/unit/engine/pool/message_memory_test.ts": 9,
  "tests/unit/engine/pool/thread_parts_test.ts": 2,
  "tests/unit/engine/pool/trial_test.ts": 7,
  "tests/unit/engine/pool/watchdog_test.ts": 2,
  "tests/unit/engine/pool/worker_thread_test.ts": 7,
  "tests/unit/engine/programs/guardian_test.ts": 3,
  "tests/unit/engine/programs/process_watch_test.ts": 3,
  "tests/unit/host/files/change_files_test.ts": 4,
  "tests/unit/host/files/concurrent_changes_test.ts": 2,
  "tests/unit/host/files/crash_test.ts": 17,
  "tests/unit/host/files/durable_changes_test.ts": 30,
  "tests/unit/host/files/durable_write_test.ts": 22,
  "tests/unit/host/files/file_backend_test.ts": 5,
  "tests/unit/host/files/file_races_test.ts": 16,
  "tests/unit/host/files/odd_trees_test.ts": 11,
  "tests/unit/host/kernel/readiness_test.ts": 3,
  "tests/unit/host/network/wire_test.ts": 12,
  "tests/unit/host/run/line/run_line_bash_test.ts": 8,
  "tests/unit/host/run/line/run_line_beyond_posix_test.ts": 7,
  "tests/unit/host/run/line/run_line_compound_test.ts": 4,
  "tests/unit/host/run/line/run_line_constructs_test.ts": 13,
  "tests/unit/host/run/line/run_line_oracle_test.ts": 38,
  "tests/unit/host/run/line/run_line_test.ts": 5,
  "tests/unit/host/run/line/run_line_xargs_test.ts": 2,
  "tests/unit/host/run/processes_test.ts": 6,
  "tests/unit/host/scan/landlock_paths_attacks_test.ts": 12,
  "tests/unit/host/scan/landlock_paths_churn_test.ts": 10,
  "tests/unit/host/scan/scan_attacks_test.ts": 7,
  "tests/unit/host/scan/scan_shared_test.ts": 10,
  "tests/unit/plugins/parse_manifest_test.ts": 3,
  "tests/unit/policy/judge/decide_properties_test.ts": 10,
  "tests/unit/policy/judge/findings_test.ts": 7,
  "tests/unit/policy/judge/reach_test.ts": 3,
  "tests/unit/policy/judge/remedy_test.ts": 2,
  "tests/unit/policy/looking_git_test.ts": 4,
  "tests/unit/policy/match/addresses_test.ts": 3,
  "tests/unit/policy/match/argv_test.ts": 2,
  "tests/unit/policy/match/path_test.ts": 4,
  "tests/unit/policy/parse/parse_fuzz_test.ts": 7,
  "tests/unit/policy/parse/parse_problems_test.ts": 5,
  "tests/unit/policy/review/soundness_test.ts": 18,
  "tests/unit/programs/grammar_test.ts": 6,
  "tests/unit/programs/started_test.ts": 2,
  "tests/unit/sandbox/enter_test.ts": 8,
  "tests/unit/sandbox/programs_held_test.ts": 11,
  "tests/unit/scripts/cache_producer_test.ts": 2,
  "tests/unit/scripts/check_imports_test.ts": 2,
  "tests/unit/scripts/testing/run_batch_test.ts": 4,
  "tests/unit/serve/gate/token_test.ts": 5,
  "tests/unit/serve/json_line_test.ts": 4,
  "tests/unit/serve/mcp/tool_listing_test.ts": 2,
  "tests/unit/serve/reading_server_test.ts": 2,
  "tests/unit/shell/parse_line_fuzz_test.ts": 16,
  "tests/unit/shell/pieces_test.ts": 3,
  "tests/unit/std/std_test.ts": 5,
  "tests/unit/syntax/python_test.ts": 13,
  "tests/unit/syntax/strip_types_test.ts": 25,
  "tests/unit/syntax/tree/parsers_test.ts": 29,
  "tests/unit/syntax/tree/wide_table_test.ts": 8,
  "tests/unit/syntax/typescript_test.ts": 10,
  "tests/unit/syntax/validators_test.ts": 10,
  "tests/unit/toolkit/git/cut_short_test.ts": 3,
  "tests/unit/toolkit/git/take_away_test.ts": 16,
  "tests/unit/toolkit/ignore_rules_test.ts": 5,
  "tests/unit/tools/analysis/analyze_code_structure_test.ts": 3,
  "tests/unit/tools/analysis/analyze_dependencies_test.ts": 4,
  "tests/unit/tools/analysis/find_similar_code_test.ts": 4,
  "tests/unit/tools/analysis/hostile_test.ts": 44,
  "tests/unit/tools/analysis/measure_code_complexity_test.ts": 2,
  "tests/unit/tools/analysis/profiles/formats_test.ts": 6,
  "tests/unit/tools/analysis/profiles/fuzz_test.ts": 11,
  "tests/unit/tools/conformance_test.ts": 24,
  "tests/unit/tools/exec/reports_fuzz_test.ts": 4,
  "tests/unit/tools/fs/append_file_test.ts": 3,
  "tests/unit/tools/fs/create_file_test.ts": 6,
  "tests/unit/tools/fs/edit_properties_test.ts": 5,
  "tests/unit/tools/fs/entries_test.ts": 3,
  "tests/unit/tools/fs/patch/patch_differential_test.ts": 2,
  "tests/unit/tools/fs/patch/patch_git_test.ts": 2,
  "tests/unit/tools/fs/search/contents_test.ts": 3,
  "tests/unit/tools/fs/search/pattern_test.ts": 6,
  "tests/unit/tools/fs/search/scanner_test.ts": 7,
  "tests/unit/tools/git/changing_test.ts": 21,
  "tests/unit/tools/git/hostile_repositories_test.ts": 105,
  "tests/unit/tools/git/lines_test.ts": 5,
  "tests/unit/tools/git/merging_test.ts": 10,
  "tests/unit/tools/git/moving_test.ts": 24,
  "tests/unit/tools/git/reading_test.ts": 17,
  "tests/unit/tools/git/rebasing_test.ts": 50,
  "tests/unit/tools/git/remotes_test.ts": 26,
  "tests/unit/tools/git/safety_test.ts": 7,
  "tests/unit/tools/git/worktrees_test.ts": 7,
  "tests/unit/tools/real_host_test.ts": 4,
  "tests/unit/tools/web/documentation_test.ts": 5,
  "tests/unit/tools/web/page_test.ts": 5,
};
const USUAL: Readonly<Record<Part, number>> = { unit: 0.3, binary: 7 };

/** The part that a file belongs to. */
export function partOf(path: string): Part {
  return path.startsWith("tests/unit/") ? "unit" : "binary";
}

/** The file with its duration: recorded, or estimated. */
export function timed(path: string, recorded: Durations): TestFile {
  return { path, seconds: recorded[path] ?? LONG[path] ?? USUAL[partOf(path)] };
}

/**
 * The test files at or below each path, sorted, each once. A path is one of the repository, with or without `./`.
 * Throws Error for one that has none, so that a mistyped name is not taken for a success.
 */
export function findTests(root: string, paths: readonly string[]): readonly string[] {
  const found = paths.flatMap((path) => {
    const files = [...below(root, normalize(path).replace(/\/$/, ""))];
    if (files.length === 0) throw new Error(`${path}: no tests there`);
    return files;
  });
  return [...new Set(found)].sort();
}

function* below(root: string, path: string): Iterable<string> {
  let stat;
  try {
    stat = Deno.statSync(join(root, path));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    if (error instanceof Deno.errors.NotADirectory) return;
    throw error;
  }
  if (stat.isFile && path.endsWith("_test.ts")) yield path;
  if (!stat.isDirectory) return;
  for (const { name } of Deno.readDirSync(join(root, path))) yield* below(root, `${path}/${name}`);
}
