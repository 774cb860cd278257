/** What a project is made of, by the files at its top: what runs, checks and builds it. Reads, changes nothing. */

import type { ProjectPart, ProjectWorkflows } from "../../policy/compose.ts";

/** The files at the top of a project. */
export interface ProjectFiles {
  has(name: string): boolean;
  /** Null where there is none, where it is no text, or too long to be a manifest. */
  read(name: string): string | null;
}

type Detector = (files: ProjectFiles) => ProjectPart | null;

/** Words that names of scripts and targets begin with that only check or build. */
const CHECKING =
  /^(?:test|tests|lint|build|check|format|fmt|type|types|typecheck|verify|unit|e2e|integration|coverage|cov|compile|prettier|eslint|tsc|bench|docs?|ci|all|clean)(?:$|[:_.-])/;
/** Whatever the manifest calls them: nothing else becomes a word of a pattern. */
const PLAIN_NAME = /^[A-Za-z0-9][A-Za-z0-9:_.-]{0,60}$/;
const MOST_NAMES = 40;

function checking(names: readonly string[]): readonly string[] {
  return [...new Set(names)].filter((name) => PLAIN_NAME.test(name) && CHECKING.test(name))
    .sort().slice(0, MOST_NAMES);
}

/** `word {a,b}`, or `word a`; none for none. */
function choice(lead: string, names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  return [names.length === 1 ? `${lead} ${names[0]}` : `${lead} {${names.join(",")}}`];
}

/** `npm ci` of 3,000 packages takes 2.3 GB by itself. */
const INSTALL_MEMORY = 4 * 2 ** 30;

function part(
  name: string,
  seenBy: string,
  allow: readonly string[],
  more: Partial<ProjectPart> = {},
): ProjectPart {
  const askReason = "brings in code from elsewhere";
  const common = { askReason, askMemory: INSTALL_MEMORY, environment: [], note: null };
  return { name, seenBy, allow, ask: [], ...common, ...more };
}

function first(files: ProjectFiles, names: readonly string[]): string | null {
  return names.find((name) => files.has(name)) ?? null;
}

function json(text: string | null): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return typeof value === "object" && value !== null ? value as Record<string, unknown> : {};
  } catch {
    return {};
  }
}

function keysOf(value: unknown): readonly string[] {
  return typeof value === "object" && value !== null ? Object.keys(value) : [];
}

const RUNS_OWN_CODE = "These run what the project's own files say: an agent that may change them " +
  "decides what runs, held by the kernel's rules.";

const git: Detector = (files) =>
  !files.has(".git") ? null : part("git", ".git", [
    "git {status,diff,log,show,blame,ls-files,rev-parse,describe,shortlog}",
    "git --version",
  ], {
    ask: [
      "git {add,commit,checkout,switch,restore,merge,rebase,reset,stash,rm,mv,branch,tag}",
      "git {push,pull,fetch,clone,remote}",
    ],
    askReason: "changes the repository, or leaves this machine",
    askMemory: null,
  });

const MANAGERS = [
  { lock: "pnpm-lock.yaml", manager: "pnpm" },
  { lock: "yarn.lock", manager: "yarn" },
  { lock: "bun.lock", manager: "bun" },
  { lock: "bun.lockb", manager: "bun" },
] as const;

/** Tools of the npm world that only check, by the packages that bring them. */
const NODE_TOOLS: Readonly<Record<string, string>> = {
  eslint: "eslint",
  typescript: "tsc",
  prettier: "prettier",
  vitest: "vitest",
  jest: "jest",
  mocha: "mocha",
  "@biomejs/biome": "biome",
  oxlint: "oxlint",
};

const node: Detector = (files) => {
  if (!files.has("package.json")) return null;
  const { scripts, dependencies, devDependencies } = json(files.read("package.json"));
  const { manager } = MANAGERS.find(({ lock }) => files.has(lock)) ?? { manager: "npm" as const };
  const names = checking(keysOf(scripts));
  const installed = [...keysOf(dependencies), ...keysOf(devDependencies)];
  const tools = Object.entries(NODE_TOOLS).flatMap(([name, tool]) =>
    installed.includes(name) ? [tool] : []
  );
  const own = {
    npm: [...(names.includes("test") ? ["npm {test,t}"] : []), ...choice("npm run", names)],
    pnpm: [...choice("pnpm", names), ...choice("pnpm run", names)],
    yarn: [...choice("yarn", names), ...choice("yarn run", names)],
    bun: ["bun test", ...choice("bun run", names)],
  }[manager];
  const allow = [...own, ...choice("npx --no-install", tools), "node --test"];
  return part(manager, "package.json", allow, {
    ask: [`${manager} {install,i,ci,add,update,remove}`],
    note: RUNS_OWN_CODE,
  });
};

const deno: Detector = (files) => {
  const seenBy = first(files, ["deno.json", "deno.jsonc"]);
  if (seenBy === null) return null;
  const { tasks } = json(files.read(seenBy));
  return part("Deno", seenBy, [
    "deno {test,lint,fmt,check}",
    ...choice("deno task", checking(keysOf(tasks))),
  ], { ask: ["deno {add,install,cache,update}"], environment: ["DENO_DIR"], note: RUNS_OWN_CODE });
};

const PYTHON_FILES = [
  "pyproject.toml",
  "setup.cfg",
  "setup.py",
  "requirements.txt",
  "requirements-dev.txt",
  "tox.ini",
  "pytest.ini",
  "Pipfile",
];
/** Tools and how they only check; named where the project's files name them. */
const PYTHON_TOOLS: readonly (readonly [tool: string, patterns: readonly string[]])[] = [
  ["ruff", ["ruff {check,format}"]],
  ["mypy", ["mypy"]],
  ["pyright", ["pyright"]],
  ["black", ["black"]],
  ["isort", ["isort"]],
  ["flake8", ["flake8"]],
  ["pylint", ["pylint"]],
  ["tox", ["tox"]],
  ["nox", ["nox"]],
];
const PYTHON_RUNNERS = [
  { lock: "uv.lock", lead: "uv run", ask: ["uv {add,sync,pip,remove}"] },
  { lock: "poetry.lock", lead: "poetry run", ask: ["poetry {add,install,update,remove}"] },
  { lock: "Pipfile.lock", lead: "pipenv run", ask: ["pipenv {install,update,sync}"] },
] as const;

const python: Detector = (files) => {
  const seenBy = first(files, PYTHON_FILES);
  if (seenBy === null) return null;
  const texts = PYTHON_FILES.map((name) => files.read(name) ?? "").join("\n");
  const tools = PYTHON_TOOLS.filter(([tool]) => new RegExp(`\\b${tool}\\b`).test(texts));
  const runner = PYTHON_RUNNERS.find(({ lock }) => files.has(lock));
  const plain = ["pytest", ...tools.flatMap(([, patterns]) => patterns)];
  const modules = ["pytest", "unittest", ...tools.map(([tool]) => tool)];
  return part("Python", seenBy, [
    ...plain,
    ...choice("{python,python3} -m", modules),
    ...(runner === undefined ? [] : plain.map((pattern) => `${runner.lead} ${pattern}`)),
  ], {
    ask: ["{pip,pip3} {install,download}", "{python,python3} -m pip", ...runner?.ask ?? []],
    environment: ["VIRTUAL_ENV", "PYTHONPATH"],
    note: RUNS_OWN_CODE,
  });
};

const rust: Detector = (files) =>
  !files.has("Cargo.toml")
    ? null
    : part("Rust", "Cargo.toml", ["cargo {build,check,clippy,test,fmt,doc,bench,tree}"], {
      ask: ["cargo {add,install,update,fetch,remove}"],
      environment: ["CARGO_HOME", "RUSTUP_HOME"],
      note: RUNS_OWN_CODE,
    });

const go: Detector = (files) => {
  if (!files.has("go.mod")) return null;
  const linter = first(files, [".golangci.yml", ".golangci.yaml"]);
  return part("Go", "go.mod", [
    "go {build,test,vet,fmt,list,version}",
    "gofmt",
    ...(linter === null ? [] : ["golangci-lint run"]),
  ], {
    ask: ["go {get,install}"],
    environment: ["GOPATH", "GOCACHE", "GOFLAGS", "CGO_ENABLED"],
    note: RUNS_OWN_CODE,
  });
};

const make: Detector = (files) => {
  const seenBy = first(files, ["Makefile", "makefile", "GNUmakefile"]);
  if (seenBy === null) return null;
  const text = files.read(seenBy) ?? "";
  const targets = [...text.matchAll(/^([A-Za-z0-9][\w .-]*?)\s*::?(?![=:])/gm)]
    .flatMap(([, names = ""]) => names.split(" "));
  const names = checking(targets);
  return names.length === 0
    ? null
    : part("make", seenBy, choice("make", names), { note: RUNS_OWN_CODE });
};

const jvm: Detector = (files) => {
  if (files.has("pom.xml")) {
    const lead = files.has("mvnw") ? "{mvn,./mvnw}" : "mvn";
    return part("Maven", "pom.xml", [`${lead} {test,verify,compile,package}`], {
      environment: ["JAVA_HOME"],
      note: RUNS_OWN_CODE,
    });
  }
  const seenBy = first(files, ["build.gradle", "build.gradle.kts"]);
  if (seenBy === null) return null;
  const lead = files.has("gradlew") ? "{gradle,./gradlew}" : "gradle";
  return part("Gradle", seenBy, [`${lead} {test,check,build,assemble}`], {
    environment: ["JAVA_HOME"],
    note: RUNS_OWN_CODE,
  });
};

const ruby: Detector = (files) =>
  !files.has("Gemfile")
    ? null
    : part("Ruby", "Gemfile", ["bundle exec {rspec,rubocop,rake}", "rspec", "rubocop"], {
      ask: ["bundle {install,update,add}", "gem install"],
      note: RUNS_OWN_CODE,
    });

const cmake: Detector = (files) =>
  !files.has("CMakeLists.txt")
    ? null
    : part("CMake", "CMakeLists.txt", ["cmake --build", "ctest"], { note: RUNS_OWN_CODE });

const container: Detector = (files) => {
  const seenBy = first(files, [
    "Dockerfile",
    "Containerfile",
    "compose.yaml",
    "docker-compose.yml",
  ]);
  return seenBy === null ? null : part("Containers", seenBy, [], {
    note: "docker and podman are not allowed: whoever may start a container may mount the whole " +
      "machine in it.",
  });
};

const DETECTORS: readonly Detector[] = [
  git,
  node,
  deno,
  python,
  rust,
  go,
  make,
  jvm,
  ruby,
  cmake,
  container,
];

/** All that is recognized, in a fixed order. */
export function projectParts(files: ProjectFiles): readonly ProjectPart[] {
  return DETECTORS.flatMap((detect) => detect(files) ?? []);
}

const WORKFLOWS: readonly (readonly [name: string, glob: string])[] = [
  [".github", ".github/workflows/**"],
  [".gitlab-ci.yml", ".gitlab-ci.yml"],
  [".circleci", ".circleci/**"],
  ["Jenkinsfile", "Jenkinsfile"],
];

/** The globs of the workflows that a project has. */
export function projectWorkflows(files: ProjectFiles): ProjectWorkflows {
  return { globs: WORKFLOWS.filter(([name]) => files.has(name)).map(([, glob]) => glob) };
}
