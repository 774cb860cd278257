/** The environment of programs: built from nothing but what the policy passes and sets, and what a call adds. */

import { ToolError } from "../../core/errors.ts";
import { isNeverPassed, steersPrograms } from "../../core/steering_variables.ts";

/** `environment` of the policy. */
export interface EnvironmentRules {
  readonly pass: readonly string[];
  readonly set: Readonly<Record<string, string>>;
}

/** A name as environments take it: `NAME`, no `=`, no functions of bash. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

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
    if (value !== undefined && !isNeverPassed(name)) environment[name] = value;
  }
  for (const [name, value] of Object.entries(rules.set)) {
    if (!isNeverPassed(name)) environment[name] = value;
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
