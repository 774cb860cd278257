/** `run_type_checker`: the project's own type checker, its findings as data. */

import { checkTool } from "./project/check_project.ts";
import { TYPE_CHECKERS } from "./project/checkers.ts";

export default checkTool({
  name: "run_type_checker",
  title: "Run type checker",
  what: "type checker",
  description:
    "Runs the project's own type checker (mypy, pyright, deno check, tsc, cargo check, go vet; found by the " +
    "project's files) and answers findings with file, line, rule and severity. Changes no source file. " +
    "Findings are an answer, not an error; a checker that breaks is COMMAND_FAILED.",
  checkers: TYPE_CHECKERS,
});
