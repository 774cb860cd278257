/** What words of a line come to, and conditions on files: judged where the line does not say them whole. */

import type { PlanNode } from "../../../core/plan.ts";
import { CLOSED } from "../../../sandbox/spawner.ts";
import { fileTest } from "../../../shell/commands/file_test.ts";
import { type Expander, expandText, patternOf, piecesOf } from "./expand/expand.ts";
import { isComparedSo, isSo } from "./_file_tests.ts";
import type { LineHost } from "./line_host.ts";
import type { LineStreams } from "./_streams.ts";
import type { Speech } from "./_speech.ts";
import { Exit, type LineState } from "./_state.ts";
import { Stopped } from "./_stopped.ts";
import { outputOf } from "./_substitution.ts";
import type { Tasks } from "./_tasks.ts";
import type { TestHost } from "./_tests.ts";

/** What expanding takes of the line that the words stand in. */
export interface ExpansionParts {
  readonly host: LineHost;
  readonly tasks: Tasks;
  readonly speech: Speech;
  readonly subshell: (
    node: PlanNode,
    state: LineState,
    place: LineStreams,
  ) => Promise<LineState["status"]>;
}

/** Expands the words of one line. */
export class Expansion {
  readonly #parts: ExpansionParts;

  constructor(parts: ExpansionParts) {
    this.#parts = parts;
  }

  /** Expands the words of a command that has these descriptors. `pipes`: what `<(…)` in them has made. */
  expander(descriptors: readonly number[], pipes: Map<string, number> = new Map()): Expander {
    const { host, tasks, speech } = this.#parts;
    const expander: Expander = {
      text: (word, state) => expandText(word, state, expander),
      pieces: (word, state) => piecesOf(word, state, expander),
      pattern: (word, state) => patternOf(word, state, expander),
      substitute: (body, state) => this.#substitute(body, state, descriptors),
      process: (access, body, state) => tasks.beside(access, body, state, descriptors, pipes),
      filesOf: (pattern, state) =>
        host.filesOf(pattern, state.directory, {
          dotted: state.options.has("dotglob"),
          deep: state.options.has("globstar"),
        }),
      allowVariable: (name, state) => this.allowVariable(name, state),
      fail: async (message, state, status) => {
        await speech.complain(descriptors, state, message);
        state.status = status === undefined
          ? state.expansionFailure
          : { code: status, signal: null };
        throw new Exit(state.status);
      },
    };
    return expander;
  }

  /** Of commands that have these descriptors. */
  tests(descriptors: readonly number[]): TestHost {
    const { host } = this.#parts;
    const judged = async (path: string, state: LineState): Promise<void> => {
      const argv = fileTest(path);
      const { directory } = state;
      if (argv !== null) {
        await host.allow({ argv, directory, redirections: [], variables: [] });
      }
    };
    return {
      expander: this.expander(descriptors),
      testFile: async (operator, path, state) => {
        await judged(path, state);
        return isSo(host, state.directory, operator, path);
      },
      compareFiles: async (operator, left, right, state) => {
        await judged(left, state);
        await judged(right, state);
        return isComparedSo(host, state.directory, operator, [left, right]);
      },
    };
  }

  /** A variable that programs get is not every line's to change. */
  async allowVariable(name: string, state: LineState): Promise<void> {
    const { host } = this.#parts;
    const { directory } = state;
    // What PATH may become is looked at when it is set.
    const looked = name === "PATH" && state.places.workspace !== null;
    if (!state.isGiven(name) || name === "IFS" || looked) return;
    await host.allow({ argv: null, directory, redirections: [], variables: [name] });
  }

  /** The output of the body without its last newlines. */
  async #substitute(
    body: PlanNode,
    state: LineState,
    [stdin = CLOSED, , stderr = CLOSED]: readonly number[],
  ): Promise<string> {
    const { host, subshell } = this.#parts;
    const text = await outputOf(host, async (output, release) => {
      const descriptors = [stdin, output, stderr];
      const place = { descriptors, release, tested: false };
      state.substituted = await subshell(body, state.substitution(), place);
      state.status = state.substituted;
    });
    if (text === null) throw new Stopped();
    return text;
  }
}
