/** What is known of compilers, build tools and package managers: they run what the project says. */

import type { OptionsLiteral, ProgramLiteral, ProgramTable } from "./spec.ts";

const CODE = {
  is: "code",
  because: "runs code from its arguments",
} as const;

const NPM: ProgramLiteral = {
  risk: "moderate",
  project: "package.json .npmrc",
  options: {
    "--node-options --globalconfig --userconfig": CODE,
    "-c --call": { ...CODE, is: "command" },
    "--script-shell": { ...CODE, is: "command" },
  },
  subcommands: {
    "exec x init create explore config set": {
      risk: "dangerous",
      because: "runs code from its arguments",
    },
    "test t run run-script install i ci add update outdated ls list view audit start": {
      risk: "moderate",
    },
  },
};

/** make(1): a makefile that is no file is code, as is what is evaluated. */
const MAKE: OptionsLiteral = {
  "-E --eval": "code",
  "-f --file --makefile": "input",
  "-C --directory -I --include-dir -o --old-file --assume-old -W --what-if --new-file --assume-new":
    "text",
  "-j --jobs -l --load-average --max-load -O --output-sync --debug": { is: "text", optional: true },
  "-b -m -B -d -e -i -k -L -n -p -q -r -R -s -S -t -v -w": "flag",
};

/** go(1): what it starts in place of its own tools. */
const GO: OptionsLiteral = {
  "-exec -toolexec -vettool": "command",
  "-ldflags -extld": { ...CODE, holding: /-extld|-linkmode/ },
};

const STARTS = { risk: "dangerous", because: "starts another program" } as const;

/** Compilers, builders and package managers. */
export const TOOLCHAINS: ProgramTable = {
  "make gmake": {
    risk: "moderate",
    options: MAKE,
    assignments: true,
    project: "GNUmakefile makefile Makefile",
  },
  "gcc cc g++ c++ clang clang++ c89 c99 cpp gfortran gdc": {
    risk: "moderate",
    responses: true,
    options: { "-wrapper": { is: "command", form: "commas" }, "-fplugin -specs": "library" },
  },
  rustc: {
    risk: "moderate",
    responses: true,
    options: {
      "-C --codegen": {
        is: "code",
        because: "starts another program",
        // `-C linker=…`, and what is handed to it.
        holding: /linker|link-arg|ar=/,
      },
    },
  },
  cmake: {
    risk: "moderate",
    project: "CMakeLists.txt",
    options: {
      "-P": "input",
      "-C": "input",
      "-D": {
        is: "code",
        because: "sets what it runs",
        holding:
          /^(?:-D)?\w*(?:COMPILER|LAUNCH|PROGRAM|COMMAND|EXECUTABLE|EMULATOR|LINKER|INCLUDE|_AR|_LD)\b.*=|=.*-(?:wrapper|fplugin|specs|B)/i,
      },
    },
    before: { "-E": "flag" },
    // Behind -E.
    subcommands: {
      "env time": { ...STARTS, commandAfter: "" },
      chdir: { ...STARTS, commandAfter: "", wordsBefore: 1 },
    },
  },
  ctest: {
    risk: "moderate",
    options: {
      "-S --script -SP --script-new-process": "input",
      "--test-command --build-makeprogram --overwrite": {
        is: "command",
        because: "starts another program",
        rest: true,
      },
    },
  },
  ninja: {
    risk: "moderate",
    project: "build.ninja",
    options: { "-f": "input", "-C -j -k -l -d -t -w": "text" },
  },
  cargo: {
    risk: "moderate",
    project: "Cargo.toml build.rs .cargo/config.toml .cargo/config",
    options: { "--config": { ...CODE, because: "runs what its arguments configure" } },
    before: {
      "-C --config --color -Z": "text",
      "-q --quiet -v --verbose --frozen --locked --offline": "flag",
    },
    subcommands: {
      "build check clippy test run bench doc fmt add install tree metadata": { risk: "moderate" },
    },
  },
  go: {
    risk: "moderate",
    project: "go.mod go.work",
    grammar: "words",
    options: GO,
    before: { "-C": "text" },
    subcommands: {
      "build test vet run fmt list mod get install tool generate": { risk: "moderate" },
      // What is written there holds for every later call: GOFLAGS=-toolexec=…
      env: {
        risk: "moderate",
        options: { ...GO, "-w": { is: "flag", risk: "dangerous", because: "sets what go runs" } },
      },
    },
  },
  npm: {
    ...NPM,
    before: {
      "--prefix -C -w --workspace --registry --userconfig --loglevel": "text",
      "-s --silent -q --quiet -d --verbose -g --global --workspaces": "flag",
    },
  },
  // Their options before the subcommand are others: `pnpm -w` stands alone.
  "pnpm yarn": NPM,
  npx: {
    risk: "dangerous",
    because: "runs packages from the network",
    tamedBy: "--no-install --no",
    // npm-exec(1): what is installed is run, and nothing is fetched.
    installedIn: "node_modules/.bin",
    options: {
      "--no --no-install -y --yes -q --quiet --ignore-existing": "flag",
      "-c --call": { is: "command", because: "runs code or packages from its arguments" },
      "-p --package --node-options": {
        is: "code",
        because: "runs code or packages from its arguments",
      },
      "--script-shell": { ...CODE, is: "command" },
    },
  },
  "bunx pnpx uvx pipx": { risk: "dangerous", because: "runs packages from the network" },
  pip: {
    risk: "moderate",
    before: {
      "--python --log --proxy --cache-dir": "text",
      "-q --quiet -v --verbose --isolated --no-input --no-color": "flag",
    },
  },
  ldd: { risk: "dangerous", because: "may run the program it is shown (ldd(1))" },
};
