/** Runs loops and conditions (POSIX, 2.9.4): which of their parts, and how often. */

import type { CompoundPlan, PlanNode, Word } from "../../../core/plan.ts";
import { calculate } from "./expand/arithmetic.ts";
import { type Expander, expandText, expandWord, patternOf } from "./expand/expand.ts";
import { holds, type TestHost } from "./_tests.ts";
import { compilePattern } from "./expand/pattern.ts";
import { type LineState, statusOf, SUCCESS } from "./_state.ts";

/** What a compound command asks of whoever runs it. */
export interface CompoundHost {
  readonly expander: Expander;
  readonly tests: TestHost;
  /** `tested`: somebody looks at the status, and it ends nothing. */
  run(node: PlanNode, tested?: boolean): Promise<void>;
  /** Between one time and the next. */
  turn(): Promise<void>;
}

/** On its way out of so many loops. */
export class LoopJump extends Error {
  override readonly name = "LoopJump";
  readonly how: "break" | "continue";
  readonly levels: number;

  constructor(how: "break" | "continue", levels: number) {
    super(how);
    this.how = how;
    this.levels = levels;
  }
}

/** Runs it; the state has its status then. */
export async function runCompound(
  node: CompoundPlan,
  state: LineState,
  host: CompoundHost,
): Promise<void> {
  switch (node.kind) {
    case "for":
      return await runFor(node, state, host);
    case "if":
      return await runIf(node, state, host);
    case "while":
      return await runWhile(node, state, host);
    case "case":
      return await runCase(node, state, host);
    case "arithmetic": {
      const value = await calculate(node.expression, state, host.expander);
      state.status = value === 0n ? { code: 1, signal: null } : SUCCESS;
      return;
    }
    case "test": {
      const held = await holds(node.expression, state, host.tests);
      state.status = held ? SUCCESS : { code: 1, signal: null };
      return;
    }
    case "count":
      return await runCount(node, state, host);
  }
}

type Node<K extends CompoundPlan["kind"]> = Extract<CompoundPlan, { readonly kind: K }>;

async function runFor(
  { name, words, body }: Node<"for">,
  state: LineState,
  host: CompoundHost,
): Promise<void> {
  const values: string[] = [];
  for (const word of words) values.push(...await expandWord(word, state, host.expander));
  state.status = SUCCESS;
  for (const value of values) {
    await host.turn();
    await host.expander.allowVariable(name, state);
    state.assign(name, value);
    if (await once(() => host.run(body))) return;
  }
}

async function runCount(
  { first, test, step, body }: Node<"count">,
  state: LineState,
  host: CompoundHost,
): Promise<void> {
  const { expander } = host;
  if (first !== null) await calculate(first, state, expander);
  state.status = SUCCESS;
  for (;;) {
    await host.turn();
    if (test !== null && await calculate(test, state, expander) === 0n) return;
    if (await once(() => host.run(body))) return;
    if (step !== null) await calculate(step, state, expander);
  }
}

async function runWhile(
  { until, test, body }: Node<"while">,
  state: LineState,
  host: CompoundHost,
): Promise<void> {
  let last = SUCCESS;
  for (;;) {
    await host.turn();
    let failed = false;
    const left = await once(async () => {
      await host.run(test, true);
      failed = (statusOf(state.status) === 0) === until;
      if (failed) return;
      // What `continue` ends has succeeded.
      last = SUCCESS;
      await host.run(body);
      last = state.status;
    });
    if (left) return;
    if (failed) break;
  }
  state.status = last;
}

/** Whether the loop was left; `continue` only ends this time. */
async function once(action: () => Promise<void>): Promise<boolean> {
  try {
    await action();
    return false;
  } catch (error) {
    if (!(error instanceof LoopJump)) throw error;
    if (error.levels > 1) throw new LoopJump(error.how, error.levels - 1);
    return error.how === "break";
  }
}

async function runIf(
  { clauses, otherwise }: Node<"if">,
  state: LineState,
  host: CompoundHost,
): Promise<void> {
  for (const { test, body } of clauses) {
    await host.run(test, true);
    if (statusOf(state.status) === 0) return await host.run(body);
  }
  if (otherwise !== null) return await host.run(otherwise);
  state.status = SUCCESS;
}

async function runCase(
  { word, arms }: Node<"case">,
  state: LineState,
  host: CompoundHost,
): Promise<void> {
  const { expander } = host;
  const text = await expandText(word, state, expander);
  const ignoresCase = state.options.has("nocasematch");
  const fits = async (patterns: readonly Word[]): Promise<boolean> => {
    for (const pattern of patterns) {
      const { matches } = compilePattern(await patternOf(pattern, state, expander), ignoresCase);
      if (matches(text)) return true;
    }
    return false;
  };
  let [falls, ran] = [false, false];
  for (const { patterns, body, then } of arms) {
    if (!falls && !await fits(patterns)) continue;
    if (body === null) state.status = SUCCESS;
    else await host.run(body);
    ran = true;
    if (then === undefined) return;
    falls = then === "body";
  }
  if (!ran) state.status = SUCCESS;
}
