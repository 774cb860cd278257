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
  "tests/attacks/agreed_test.ts": 50,
  "tests/attacks/attacks_test.ts": 42,
  "tests/attacks/existence_test.ts": 7,
  "tests/attacks/generated_test.ts": 15,
  "tests/attacks/legitimate_test.ts": 10,
  "tests/attacks/pipe_test.ts": 10,
  "tests/attacks/shown_test.ts": 10,
  "tests/attacks/stall_test.ts": 27,
  "tests/binary/analysis_test.ts": 7,
  "tests/binary/analyze_performance_test.ts": 5,
  "tests/binary/approvals_test.ts": 13,
  "tests/binary/attributes_test.ts": 7,
  "tests/binary/audit_test.ts": 14,
  "tests/binary/broker_test.ts": 14,
  "tests/binary/build_test.ts": 3,
  "tests/binary/call_test.ts": 8,
  "tests/binary/child_agents_test.ts": 19,
  "tests/binary/commands_test.ts": 36,
  "tests/binary/completions_test.ts": 6,
  "tests/binary/empty_root_test.ts": 2,
  "tests/binary/git_test.ts": 22,
  "tests/binary/git_ways_test.ts": 15,
  "tests/binary/hostile_machine_test.ts": 8,
  "tests/binary/hostile_programs_test.ts": 8,
  "tests/binary/kernel_missing_test.ts": 12,
  "tests/binary/layers_test.ts": 7,
  "tests/binary/leading_test.ts": 6,
  "tests/binary/mcp_adversity_test.ts": 4,
  "tests/binary/mcp_inspector_test.ts": 6,
  "tests/binary/mcp_schema_test.ts": 6,
  "tests/binary/mcp_test.ts": 6,
  "tests/binary/network_test.ts": 4,
  "tests/binary/odd_files_test.ts": 8,
  "tests/binary/pictures_test.ts": 4,
  "tests/binary/plugins_module_test.ts": 40,
  "tests/binary/plugins_test.ts": 16,
  "tests/binary/policy_tools_test.ts": 34,
  "tests/binary/program_attacks_test.ts": 8,
  "tests/binary/protocol_test.ts": 3,
  "tests/binary/races_test.ts": 25,
  "tests/binary/readme_test.ts": 12,
  "tests/binary/recovery_test.ts": 2,
  "tests/binary/release_test.ts": 28,
  "tests/binary/schemas_test.ts": 5,
  "tests/binary/seal_test.ts": 12,
  "tests/binary/sealed_test.ts": 14,
  "tests/binary/search_shared_test.ts": 14,
  "tests/binary/search_test.ts": 10,
  "tests/binary/serve_test.ts": 14,
  "tests/binary/sockets_test.ts": 16,
  "tests/binary/streaming_test.ts": 6,
  "tests/binary/syntax_test.ts": 16,
  "tests/binary/telemetry_test.ts": 6,
  "tests/binary/terminal_test.ts": 14,
  "tests/binary/threads_test.ts": 7,
  "tests/binary/toolchain_test.ts": 28,
  "tests/unit/cli/completions/completions_test.ts": 3,
  "tests/unit/cli/policy/project_parts_test.ts": 5,
  "tests/unit/cli/tools/schema_export_test.ts": 4,
  "tests/unit/core/parse_arguments_oracle_test.ts": 5,
  "tests/unit/engine/create_engine_test.ts": 2,
  "tests/unit/engine/judge/explain_test.ts": 2,
  "tests/unit/engine/modules/module_thread_test.ts": 2,
  "tests/unit/engine/pool/worker_thread_test.ts": 5,
  "tests/unit/host/files/change_files_test.ts": 5,
  "tests/unit/host/files/concurrent_changes_test.ts": 3,
  "tests/unit/host/files/crash_test.ts": 8,
  "tests/unit/host/files/durable_changes_test.ts": 10,
  "tests/unit/host/files/durable_write_test.ts": 5,
  "tests/unit/host/files/file_attacks_test.ts": 2,
  "tests/unit/host/files/file_backend_test.ts": 6,
  "tests/unit/host/files/file_races_test.ts": 6,
  "tests/unit/host/files/odd_trees_test.ts": 6,
  "tests/unit/host/network/wire_test.ts": 3,
  "tests/unit/host/run/line/run_line_arithmetic_test.ts": 2,
  "tests/unit/host/run/line/run_line_bash_test.ts": 5,
  "tests/unit/host/run/line/run_line_compound_test.ts": 4,
  "tests/unit/host/run/line/run_line_oracle_test.ts": 24,
  "tests/unit/host/run/line/run_line_test.ts": 5,
  "tests/unit/host/run/processes_test.ts": 4,
  "tests/unit/host/scan/landlock_paths_attacks_test.ts": 6,
  "tests/unit/host/scan/landlock_paths_churn_test.ts": 8,
  "tests/unit/host/scan/scan_attacks_test.ts": 6,
  "tests/unit/host/scan/scan_shared_test.ts": 10,
  "tests/unit/plugins/parse_manifest_test.ts": 2,
  "tests/unit/policy/judge/decide_properties_test.ts": 5,
  "tests/unit/policy/judge/findings_test.ts": 3,
  "tests/unit/policy/parse/parse_fuzz_test.ts": 4,
  "tests/unit/policy/parse/parse_problems_test.ts": 2,
  "tests/unit/policy/review/soundness_test.ts": 10,
  "tests/unit/sandbox/enter_test.ts": 2,
  "tests/unit/sandbox/programs_held_test.ts": 4,
  "tests/unit/shell/parse_line_fuzz_test.ts": 8,
  "tests/unit/shell/pieces_test.ts": 2,
  "tests/unit/std/std_test.ts": 8,
  "tests/unit/syntax/python_test.ts": 7,
  "tests/unit/syntax/strip_types_test.ts": 12,
  "tests/unit/syntax/tree/parsers_test.ts": 8,
  "tests/unit/syntax/typescript_test.ts": 6,
  "tests/unit/syntax/validators_test.ts": 3,
  "tests/unit/toolkit/ignore_rules_test.ts": 3,
  "tests/unit/tools/analysis/analyze_dependencies_test.ts": 2,
  "tests/unit/tools/analysis/find_code_patterns_test.ts": 2,
  "tests/unit/tools/analysis/find_similar_code_test.ts": 2,
  "tests/unit/tools/analysis/profiles/formats_test.ts": 4,
  "tests/unit/tools/analysis/profiles/fuzz_test.ts": 9,
  "tests/unit/tools/conformance_test.ts": 22,
  "tests/unit/tools/exec/reports_fuzz_test.ts": 5,
  "tests/unit/tools/fs/search/contents_test.ts": 2,
  "tests/unit/tools/fs/search/pattern_test.ts": 5,
  "tests/unit/tools/fs/search/scanner_test.ts": 3,
  "tests/unit/tools/git/changing_test.ts": 10,
  "tests/unit/tools/git/hostile_repositories_test.ts": 36,
  "tests/unit/tools/git/lines_test.ts": 4,
  "tests/unit/tools/git/merging_test.ts": 8,
  "tests/unit/tools/git/moving_test.ts": 8,
  "tests/unit/tools/git/reading_test.ts": 10,
  "tests/unit/tools/git/rebasing_test.ts": 20,
  "tests/unit/tools/git/remotes_test.ts": 8,
  "tests/unit/tools/git/safety_test.ts": 2,
  "tests/unit/tools/git/worktrees_test.ts": 2,
};
const USUAL: Readonly<Record<Part, number>> = { unit: 0.2, binary: 3 };

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
