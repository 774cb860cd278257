/** The files that commands of a line read from and write to: judged, opened, and told where they cannot be. */

import type { Redirection } from "../../../core/plan.ts";
import { closeAll } from "./_background.ts";
import type { Expansion } from "./_expansion.ts";
import type { LineHost, LineRedirection } from "./line_host.ts";
import { redirect, type Redirected, targetsOf } from "./_redirections.ts";
import type { LineStreams } from "./_streams.ts";
import type { Speech } from "./_speech.ts";
import type { LineState } from "./_state.ts";

/** What opening takes of the line. */
export interface OpeningParts {
  readonly host: LineHost;
  readonly expansion: Expansion;
  readonly speech: Speech;
}

/** Opens the files of one line. */
export class Opening {
  readonly #parts: OpeningParts;

  constructor(parts: OpeningParts) {
    this.#parts = parts;
  }

  /** The redirections of what is no program, judged and done. */
  async opened(
    node: { readonly redirections: readonly Redirection[] },
    state: LineState,
    place: LineStreams,
  ): Promise<Redirected | null> {
    const { host, expansion } = this.#parts;
    const pipes = new Map<string, number>();
    const expander = expansion.expander(place.descriptors, pipes);
    const targets = await targetsOf(node.redirections, state, expander);
    const redirections = targets.filter(({ target }) => !pipes.has(target));
    if (redirections.length > 0) {
      const { directory } = state;
      await host.allow({ argv: null, directory, redirections, variables: [] });
    }
    try {
      return await this.redirect(node.redirections, targets, state, place, pipes);
    } finally {
      // What was opened by these names is its own.
      closeAll(host, [...pipes.values()]);
    }
  }

  /** The descriptors of a command; null, with a status, where a file cannot be opened. */
  async redirect(
    redirections: readonly Redirection[],
    targets: readonly LineRedirection[],
    state: LineState,
    { descriptors: around }: LineStreams,
    pipes: ReadonlyMap<string, number>,
  ): Promise<Redirected | null> {
    const { host, expansion, speech } = this.#parts;
    const expander = expansion.expander(around);
    const opened = await redirect(host, redirections, targets, {
      ...{ state, expander, around, pipes },
    });
    const { line } = state;
    for (const warning of opened.warnings) {
      state.reach(warning.line);
      await speech.complain(around, state, warning.text);
    }
    state.line = line;
    if (opened.failure === null) return opened;
    // Those to its left hold already (bash and dash alike).
    await speech.complain(opened.descriptors, state, opened.failure);
    opened.close();
    state.status = state.redirectionFailure;
    return null;
  }
}
