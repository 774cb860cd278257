/**
 * What is known of programs that test, check, format and bundle a project: they run its files. From their `--help` and
 * manuals; what matters here are options that make them run something else.
 */

import { NODE, PROMPTS, PYTHON } from "./interpreters.ts";
import type { OptionSpec, ProgramLiteral, ProgramTable } from "./spec.ts";

const CODE: OptionSpec = { is: "code", because: "runs code from its arguments" };

/** Runs files of the project as JavaScript, and takes addresses where it takes a file. */
const LOADS: ProgramLiteral = { risk: "moderate", loads: true };

const TYPESCRIPT: ProgramLiteral = {
  ...NODE,
  subcommands: { ...NODE.subcommands, "watch": { risk: "moderate" } },
};

/** Programs that test, check, format and bundle. */
export const CHECKERS: ProgramTable = {
  "pytest py.test": {
    risk: "moderate",
    project: "conftest.py pytest.ini pyproject.toml tox.ini setup.cfg",
    options: {
      // pdb reads commands, and what it does not know is Python.
      "--pdb --trace": PROMPTS,
      "--pdbcls": CODE,
      "-o --override-ini": { ...CODE, is: "code", holding: /addopts/ },
      "-k -m -c --config-file --rootdir --maxfail --durations --tb --capture --cov -n --deselect":
        "text",
      "--basetemp --junitxml --junit-xml --log-file --debug": "text",
      "-v -q -x -s -l --lf --ff --nf --sw --co --collect-only": "flag",
    },
  },
  coverage: {
    ...PYTHON,
    options: { "-m --module": "module", "--rcfile --source --omit --include --context": "text" },
    subcommands: {
      "annotate combine debug erase help html json lcov report xml": { risk: "moderate" },
      run: { risk: "moderate" },
    },
  },
  tox: {
    risk: "moderate",
    project: "tox.ini pyproject.toml setup.cfg",
    options: {
      "-x --override": CODE,
      "-e -c --conf --workdir --root -p --parallel --result-json -f --skip-env": "text",
    },
    before: { "-c --conf --workdir --root -q -v": "text" },
    subcommands: {
      "exec e": { risk: "dangerous", because: "starts another program", commandAfter: "--" },
      "run r run-parallel p list l config c depends quickstart legacy le": { risk: "moderate" },
    },
  },
  pylint: {
    risk: "moderate",
    options: { "--init-hook": CODE, "--rcfile --disable --enable --load-plugins": "text" },
  },
  mypy: {
    risk: "moderate",
    options: {
      "--python-executable": { is: "command", because: "runs the program that it names" },
      "--install-types": { is: "flag", risk: "dangerous", because: "installs packages" },
      "-c --command -m --module -p --package --config-file --cache-dir --exclude": "text",
      "--python-version --platform --junit-xml --follow-imports": "text",
    },
  },
  "tsx ts-node ts-node-esm": TYPESCRIPT,
  rollup: {
    ...LOADS,
    // What stands behind the name of a plugin, or in place of it, is evaluated (bin/src/run/commandPlugins.ts).
    options: { "-p --plugin --configPlugin": { ...CODE, holding: /[={(]/ } },
  },
  "mocha _mocha vitest jest eslint prettier webpack vite esbuild": LOADS,
};
