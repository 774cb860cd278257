/** `run_linter`: the project's own linter, its findings as data. */

import { checkTool } from "./project/check_project.ts";
import { LINTERS } from "./project/checkers.ts";

export default checkTool({
  name: "run_linter",
  title: "Run linter",
  what: "linter",
  description:
    "Runs the project's own linter (ruff, flake8, pylint, eslint, biome, deno lint, golangci-lint, go vet, " +
    "cargo clippy; found by the project's files) and answers findings with file, line, rule and severity. " +
    "Changes no file. Findings are an answer, not an error; a linter that breaks is COMMAND_FAILED.",
  checkers: LINTERS,
});
