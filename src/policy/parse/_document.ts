/** The policy language, whole: the one definition behind the parser and the JSON Schema. */

import type { Policy } from "../model.ts";
import { list, object, otherwise, required } from "../../config/collection.ts";
import { exactly, type Field, text } from "../../config/field.ts";
import { git } from "./_git.ts";
import { agents, callers, children } from "./_parties.ts";
import { programs } from "./_program.ts";
import { networkRule, secretRule } from "./_connection_rule.ts";
import { commandRule, extensions, pathRule } from "./_rule.ts";
import {
  approvals,
  audit,
  backups,
  durability,
  environment,
  limits,
  plugins,
  recovery,
  risk,
  sandbox,
  shell,
  timeouts,
  tools,
} from "./section.ts";
import { web } from "./_web.ts";

/** A policy file. Sections that it leaves out are null. */
export const policyDocument: Field<Policy> = object({
  version: required(exactly(1), "the version of this language; write version: 1"),
  name: otherwise(
    text({
      what: "a short name",
      check: (value) =>
        value.length > 100 || /\p{Cc}/u.test(value)
          ? "is no short name: at most 100 characters, on one line"
          : null,
    }),
    null,
    "what messages and logs call this policy",
  ),
  workspace: otherwise(
    text({ what: "a folder such as ." }),
    null,
    "the folder that relative paths start from; --root overrides it",
  ),
  risk: otherwise(risk, null, "which risks run, and which must be asked for"),
  paths: otherwise(
    list(pathRule),
    null,
    "who may read and write what: deny beats ask beats allow, and what nothing names is denied",
  ),
  extensions: otherwise(extensions, null, "what may be read and written by the ending of its name"),
  commands: otherwise(
    list(commandRule),
    null,
    "which commands may run: deny beats ask beats allow, and what nothing names is denied",
  ),
  programs: otherwise(
    programs,
    null,
    "what programs do with their arguments, beside what is known of them; it only adds to that",
  ),
  shell: otherwise(shell, null, "how command lines are run"),
  environment: otherwise(environment, null, "the environment of commands, which starts empty"),
  network: otherwise(
    list(networkRule),
    null,
    "which hosts may be reached; what nothing names is denied",
  ),
  secrets: otherwise(
    list(secretRule),
    null,
    "keys that Toolgate's proxy adds to what programs ask a host, and that they never see",
  ),
  tools: otherwise(tools, null, "settings of single tools, by name or alias"),
  timeouts: otherwise(timeouts, null, "how long calls may take"),
  limits: otherwise(limits, null, "how much calls may read, write, answer and use"),
  backups: otherwise(
    backups,
    null,
    "how long the backups of changed files are kept; else for ever",
  ),
  durability: otherwise(
    durability,
    null,
    "what a change of files survives: atomic (never torn; after a loss of power the last renames may not have happened; " +
      "where nothing is said) or full (files and folders are on the disk before the call answers)",
  ),
  agents: otherwise(agents, null, "what agents may do, by name"),
  sandbox: otherwise(sandbox, null, "the layers below this policy"),
  approvals: otherwise(approvals, null, "how approvals last"),
  audit: otherwise(audit, null, "the log of decisions and outcomes"),
  recovery: otherwise(recovery, null, "what follows on failures"),
  web: otherwise(web, null, "providers on the web"),
  git: otherwise(git, null, "how git is used, by its tools and in command lines"),
  callers: otherwise(
    callers,
    null,
    "which users of this machine may connect to a gate, and as which agents; else its own user alone",
  ),
  children: otherwise(children, null, "how child agents are started"),
  plugins: otherwise(
    plugins,
    null,
    "manifests of custom tools, by paths and globs relative to the folder of this file",
  ),
});
