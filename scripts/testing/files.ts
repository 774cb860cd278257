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

/** Where nothing is recorded: seconds of the files that take long on two cores. It only sets the order of things. */
const LONG: Durations = {
  "tests/attacks/agreed_test.ts": 51,
  "tests/attacks/attacks_test.ts": 80,
  "tests/attacks/existence_test.ts": 16,
  "tests/attacks/generated_test.ts": 21,
  "tests/attacks/legitimate_test.ts": 14,
  "tests/attacks/pipe_test.ts": 20,
  "tests/attacks/shown_test.ts": 12,
  "tests/attacks/stall_test.ts": 47,
  "tests/binary/build/build_test.ts": 4,
  "tests/binary/build/empty_root_test.ts": 23,
  "tests/binary/build/release_test.ts": 28,
  "tests/binary/build/seal_test.ts": 21,
  "tests/binary/build/sealed_test.ts": 19,
  "tests/binary/build/telemetry_test.ts": 1,
  "tests/binary/calls/protocol_test.ts": 3,
  "tests/binary/calls/serve_test.ts": 15,
  "tests/binary/calls/terminal_test.ts": 33,
  "tests/binary/files/odd_files_test.ts": 10,
  "tests/binary/files/races_test.ts": 27,
  "tests/binary/files/search_shared_test.ts": 14,
  "tests/binary/files/search_test.ts": 20,
  "tests/binary/files/syntax_test.ts": 18,
  "tests/binary/gate/child_agents_test.ts": 46,
  "tests/binary/gate/gate_test.ts": 18,
  "tests/binary/gate/pipe_children_test.ts": 14,
  "tests/binary/git/agent_worktree_test.ts": 12,
  "tests/binary/git/git_lines_test.ts": 3,
  "tests/binary/git/git_network_test.ts": 11,
  "tests/binary/git/git_test.ts": 43,
  "tests/binary/git/git_ways_test.ts": 35,
  "tests/binary/held/attributes_test.ts": 14,
  "tests/binary/held/broker_test.ts": 15,
  "tests/binary/held/hostile_machine_test.ts": 10,
  "tests/binary/held/hostile_programs_test.ts": 10,
  "tests/binary/held/kernel_missing_test.ts": 17,
  "tests/binary/held/layers_test.ts": 11,
  "tests/binary/held/process_list_test.ts": 1,
  "tests/binary/held/program_attacks_test.ts": 14,
  "tests/binary/held/sockets_test.ts": 36,
  "tests/binary/held/threads_test.ts": 12,
  "tests/binary/lines/commands_test.ts": 40,
  "tests/binary/lines/everyday_test.ts": 4,
  "tests/binary/lines/made_programs_test.ts": 1,
  "tests/binary/lines/temporary_test.ts": 1,
  "tests/binary/lines/toolchain_test.ts": 47,
  "tests/binary/mcp/mcp_fuzz_test.ts": 1,
  "tests/binary/mcp/mcp_inspector_test.ts": 10,
  "tests/binary/mcp/mcp_stateless_test.ts": 1,
  "tests/binary/network/fetch_api_docs_test.ts": 1,
  "tests/binary/network/network_test.ts": 15,
  "tests/binary/plugins/plugins_module_test.ts": 45,
  "tests/binary/plugins/plugins_test.ts": 22,
  "tests/binary/policy/approvals_test.ts": 13,
  "tests/binary/policy/audit_test.ts": 11,
  "tests/binary/policy/parsed_policies_test.ts": 3,
  "tests/binary/policy/policy_tools_test.ts": 42,
  "tests/binary/policy/recovery_test.ts": 4,
  "tests/binary/readme/examples_test.ts": 1,
  "tests/binary/readme/readme_test.ts": 20,
  "tests/unit/cli/policy/project_parts_test.ts": 7,
  "tests/unit/cli/tools/schema_export_test.ts": 7,
  "tests/unit/core/parse_arguments_oracle_test.ts": 4,
  "tests/unit/engine/create_engine_test.ts": 2,
  "tests/unit/engine/pool/agreed_check_test.ts": 2,
  "tests/unit/engine/pool/trial_test.ts": 2,
  "tests/unit/engine/pool/worker_thread_test.ts": 3,
  "tests/unit/host/files/crash_test.ts": 9,
  "tests/unit/host/files/durable_changes_test.ts": 12,
  "tests/unit/host/files/durable_write_test.ts": 20,
  "tests/unit/host/files/file_races_test.ts": 6,
  "tests/unit/host/files/odd_trees_test.ts": 6,
  "tests/unit/host/network/wire_test.ts": 3,
  "tests/unit/host/run/line/run_line_bash_test.ts": 2,
  "tests/unit/host/run/line/run_line_beyond_posix_test.ts": 3,
  "tests/unit/host/run/line/run_line_compound_test.ts": 3,
  "tests/unit/host/run/line/run_line_constructs_test.ts": 6,
  "tests/unit/host/run/line/run_line_oracle_test.ts": 45,
  "tests/unit/host/run/line/run_line_test.ts": 2,
  "tests/unit/host/run/processes_test.ts": 4,
  "tests/unit/host/scan/landlock_paths_attacks_test.ts": 4,
  "tests/unit/host/scan/landlock_paths_churn_test.ts": 6,
  "tests/unit/host/scan/scan_attacks_test.ts": 3,
  "tests/unit/host/scan/scan_shared_test.ts": 5,
  "tests/unit/policy/judge/decide_properties_test.ts": 6,
  "tests/unit/policy/parse/parse_fuzz_test.ts": 2,
  "tests/unit/policy/review/soundness_test.ts": 12,
  "tests/unit/programs/grammar_test.ts": 3,
  "tests/unit/sandbox/programs_held_test.ts": 4,
  "tests/unit/serve/gate/token_test.ts": 2,
  "tests/unit/shell/parse_line_fuzz_test.ts": 14,
  "tests/unit/std/std_test.ts": 2,
  "tests/unit/syntax/python_test.ts": 7,
  "tests/unit/syntax/strip_types_test.ts": 22,
  "tests/unit/syntax/tree/parsers_test.ts": 12,
  "tests/unit/syntax/typescript_test.ts": 5,
  "tests/unit/syntax/validators_test.ts": 3,
  "tests/unit/tools/analysis/hostile_test.ts": 25,
  "tests/unit/tools/analysis/profiles/formats_test.ts": 2,
  "tests/unit/tools/analysis/profiles/fuzz_test.ts": 11,
  "tests/unit/tools/conformance_test.ts": 22,
  "tests/unit/tools/fs/search/pattern_test.ts": 4,
  "tests/unit/tools/git/changing_test.ts": 7,
  "tests/unit/tools/git/hostile_repositories_test.ts": 59,
  "tests/unit/tools/git/merging_test.ts": 7,
  "tests/unit/tools/git/moving_test.ts": 11,
  "tests/unit/tools/git/reading_test.ts": 9,
  "tests/unit/tools/git/rebasing_test.ts": 55,
  "tests/unit/tools/git/remotes_test.ts": 11,
  "tests/unit/tools/git/safety_test.ts": 5,
  "tests/unit/tools/git/worktrees_test.ts": 4,
  "tests/unit/tools/web/documentation_test.ts": 2,
  "tests/unit/tools/web/page_test.ts": 3,
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
