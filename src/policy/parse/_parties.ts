/** The sections of a policy that say who asks: agents, their children, the users behind callers. */

import { PERMISSION_GROUPS } from "../../core/tool.ts";
import type { AgentRule } from "../model.ts";
import { list, mapping, object, optional, otherwise, required } from "../../config/collection.ts";
import { duration, type Field, flag, number, oneOf, text } from "../../config/field.ts";
import { childNetworkRule } from "./_connection_rule.ts";
import { DAY, type Section } from "./section.ts";

const HALF_HOUR = 30 * 60 * 1000;

const AGENT = /^[A-Za-z0-9_.*-]+$/;

const agentRule: Field<AgentRule> = object({
  permissions: required(
    list(oneOf([...PERMISSION_GROUPS, "all"])),
    "the permission groups of these agents, or all",
  ),
  tokens: optional(number({ min: 1, max: 1_000_000_000_000 }), "their budget of tokens"),
  worktree: optional(flag(), "true: each works in a git worktree of its own"),
});

/** `agents`. */
export const agents: Section<"agents"> = mapping(agentRule, {
  pattern: AGENT.source,
  wrong: (name) =>
    AGENT.test(name)
      ? null
      : "is no name of agents: letters, digits, -, _ and ., with * for any of them",
});

/** The highest that names a user: `(uid_t) -1` names none (chown(2)). */
const MOST_UID = 2 ** 32 - 2;

/** `children`. */
export const children: Section<"children"> = object({
  command: required(
    list(text({ what: "an argument", empty: true }), { min: 1 }),
    "the program of a child agent and its arguments; {task} stands for what it is to do",
  ),
  protocol: otherwise(
    oneOf(["ndjson", "acp"]),
    "ndjson",
    "what it speaks: that of the pipe, or the Agent Client Protocol",
  ),
  isolation: otherwise(
    oneOf(["worktree", "clone"]),
    "worktree",
    "its working files: a worktree of the repository, or a clone of it, or of a folder that is none",
  ),
  max: otherwise(number({ min: 1, max: 256 }), 4, "children that live at the same time"),
  depth: otherwise(number({ min: 1, max: 8 }), 1, "how deep they go: with 1 no child has children"),
  timeout: otherwise(duration({ min: 1, max: DAY }), HALF_HOUR, "how long one may live"),
  network: otherwise(
    list(childNetworkRule),
    null,
    "what their program reaches by Toolgate's proxy, and nothing else; where left out, what network opens to it by name",
  ),
});

/** As `--agent` takes it. */
const AGENT_NAME = /^[A-Za-z0-9._-]{1,128}$/;

/** `callers`. */
export const callers: Section<"callers"> = list(object({
  uid: required(number({ min: 0, max: MOST_UID }), "the user's number"),
  agent: required(
    text({
      what: "the name of an agent",
      pattern: AGENT_NAME.source,
      check: (value) => AGENT_NAME.test(value) ? null : "is no name of an agent",
    }),
    "the agent that programs of this user are",
  ),
}));
