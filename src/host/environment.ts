/** The environment of programs: built from nothing but what the policy passes and sets, and what a call adds. */

import { ToolError } from "../core/errors.ts";

/** `environment` of the policy. */
export interface EnvironmentRules {
  readonly pass: readonly string[];
  readonly set: Readonly<Record<string, string>>;
}

/** What hosts use to reach into a JavaScript runtime that they start: a module of the caller's would run. */
const NEVER: ReadonlySet<string> = new Set([
  "DENO_INTERNAL_CHILD_ENTRYPOINT",
  "NODE_CHANNEL_FD",
  "NODE_CHANNEL_SERIALIZATION_MODE",
]);

/**
 * Variables that make harmless programs load code, run others or read other settings: loaders (ld.so(8)), shells
 * (bash(1), CVE-2014-6271), interpreters, git(1), build tools, pagers and editors.
 */
const STEERING_PREFIXES = [
  "LD_",
  "DYLD_",
  "GLIBC_",
  "MALLOC_",
  "BASH_",
  "GIT_",
  "SSH_",
  "NODE_",
  "NPM_",
  "YARN_",
  "PNPM_",
  "BUN_",
  "DENO_",
  "PYTHON",
  "PIP_",
  "UV_",
  "PERL",
  "RUBY",
  "GEM_",
  "BUNDLE_",
  "PHP",
  "LUA_",
  "JAVA_",
  "_JAVA",
  "JDK_",
  "MAVEN_",
  "GRADLE_",
  "CARGO",
  "RUST",
  "GO",
  "CMAKE_",
  "MAKE",
  "DOTNET_",
  "CORECLR_",
  "LESS",
  "XDG_",
  "TOOLGATE_",
] as const;
const STEERING_NAMES: ReadonlySet<string> = new Set([
  "PATH",
  "HOME",
  "SHELL",
  "ENV",
  "SHELLOPTS",
  "BASHOPTS",
  "IFS",
  "PS4",
  "CDPATH",
  "PROMPT_COMMAND",
  "EDITOR",
  "VISUAL",
  "PAGER",
  "MANPAGER",
  "BROWSER",
  "GCONV_PATH",
  "LOCPATH",
  "NLSPATH",
  "HOSTALIASES",
  "LOCALDOMAIN",
  "RES_OPTIONS",
  "TERMINFO",
  "TERMCAP",
  "TMPDIR",
  "CLASSPATH",
  "CC",
  "CXX",
  "LD",
  "AR",
  "CFLAGS",
  "LDFLAGS",
]);

/** A name as environments take it: `NAME`, no `=`, no functions of bash. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Whether a variable can make a program do something else than its arguments say. */
export function steersPrograms(name: string): boolean {
  const upper = name.toUpperCase();
  return NEVER.has(upper) || STEERING_NAMES.has(upper) ||
    STEERING_PREFIXES.some((prefix) => upper.startsWith(prefix));
}

/**
 * What every program of this policy gets, from the variables that Toolgate was started with. Git is kept from the
 * settings in the home directory unless the policy names `GIT_CONFIG_GLOBAL`: programs cannot read them
 * there, and git takes that for a fatal error.
 */
export function baseEnvironment(
  rules: EnvironmentRules,
  valueOf: (name: string) => string | undefined = valueOfRuntime,
): Readonly<Record<string, string>> {
  const environment: Record<string, string> = { GIT_CONFIG_GLOBAL: "/dev/null" };
  for (const name of rules.pass) {
    const value = valueOf(name);
    if (value !== undefined && !NEVER.has(name)) environment[name] = value;
  }
  for (const [name, value] of Object.entries(rules.set)) {
    if (!NEVER.has(name)) environment[name] = value;
  }
  return environment;
}

/** Undefined also where the runtime's permissions do not name the variable. */
function valueOfRuntime(name: string): string | undefined {
  return Deno.permissions.querySync({ name: "env", variable: name }).state === "granted"
    ? Deno.env.get(name)
    : undefined;
}

/**
 * Adds what a call asks for. Throws COMMAND_DENIED for a variable that steers programs, or that the policy
 * sets; INVALID_ARGUMENTS for what no environment can hold.
 */
export function withRequested(
  base: Readonly<Record<string, string>>,
  requested: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  for (const [name, value] of Object.entries(requested)) {
    if (!NAME.test(name) || value.includes("\0")) {
      throw new ToolError(
        "INVALID_ARGUMENTS",
        `"${name}" is no environment variable: names are letters, digits and _, values have no NUL`,
      );
    }
    if (Object.hasOwn(base, name) && base[name] !== value || steersPrograms(name)) {
      throw new ToolError(
        "COMMAND_DENIED",
        `a call may not set ${name}: it would change what the program does or loads; the policy's environment.set may`,
      );
    }
  }
  return { ...base, ...requested };
}
