/** Sets variables of a line as a command says it. */

import { ToolError } from "../../../core/errors.ts";
import type { Assignment, SimplePlan } from "../../../core/plan.ts";
import type { Expansion } from "./_expansion.ts";
import type { LineState } from "./_state.ts";
import { type Expander, expandText, expandWord } from "./expand/expand.ts";
import { keyOf } from "./expand/arithmetic.ts";

/** What setting them asks of whoever runs the line. */
interface Assigning {
  readonly expansion: Expansion;
}

/** Sets its variables, each seeing those to its left (POSIX, 2.9.1). */
export async function assign(
  assignments: readonly Assignment[],
  state: LineState,
  runner: Assigning,
  expander: Expander,
): Promise<ReadonlyMap<string, string>> {
  const values = new Map<string, string>();
  const { variables } = state;
  for (const one of assignments) {
    const { name, value, subscript, list } = one;
    if (list !== undefined) {
      await assignList(one, list, state, expander);
      continue;
    }
    const text = await expandText(value, state, expander);
    if (subscript !== undefined && subscript.kind !== "all") {
      const key = await keyOf(subscript, state, expander);
      const before = one.append === true ? variables.element(name, key) ?? "" : "";
      variables.assignElement(name, key, before + text);
      continue;
    }
    const whole = one.append === true ? (variables.text(name) ?? "") + text : text;
    values.set(name, whole);
    if (state.isGiven(name)) await runner.expansion.allowVariable(name, state);
    state.assign(name, whole);
  }
  return values;
}

async function assignList(
  { name, append }: Assignment,
  list: NonNullable<Assignment["list"]>,
  state: LineState,
  expander: Expander,
): Promise<void> {
  const { variables } = state;
  const table = variables.isTable(name);
  const items: (readonly [bigint | string | null, string])[] = [];
  for (const { subscript, value } of list) {
    if (subscript !== null && subscript.kind !== "all") {
      items.push([
        await keyOf(subscript, state, expander),
        await expandText(value, state, expander),
      ]);
    } else {
      for (const text of await expandWord(value, state, expander)) items.push([null, text]);
    }
  }
  const last = append === true ? variables.entries(name).at(-1)?.[0] : undefined;
  let next = last === undefined ? 0n : BigInt(last) + 1n;
  if (append !== true) variables.empty(name, table ? "table" : "list");
  for (const [key, text] of items) {
    if (table !== (typeof key === "string")) {
      throw new ToolError("COMMAND_UNPARSABLE", `${name}=(…): keys and numbers do not go together`);
    }
    const place = key ?? next;
    variables.assignElement(name, place, text);
    if (typeof place === "bigint") next = place + 1n;
  }
}

/** Those of one command, which are what they were before when `assignFor` is called back. */
export async function assignFor(
  { assignments, later }: SimplePlan,
  state: LineState,
  runner: Assigning,
  expander: Expander,
): Promise<() => void> {
  if (assignments.length === 0) return () => {};
  const { variables } = state;
  variables.enter();
  const values = await assign(assignments, state.copy(), runner, expander);
  for (const [name, value] of values) {
    variables.hide(name);
    state.assign(name, value);
    variables.export(name, later !== true);
  }
  return () => variables.leave();
}
