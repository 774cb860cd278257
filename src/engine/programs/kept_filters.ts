/** The filters that programs put on themselves, each made once: they are the same for all that they are for. */

import {
  type Architecture,
  encodeFilter,
  filterFor,
  type FilterOptions,
  startFilter,
} from "../../sandbox/seccomp.ts";

/** The filters of one thread. */
export class KeptFilters {
  readonly #architecture: Architecture;
  /** Whether its programs may use the network. */
  readonly network: boolean;
  readonly #filters = new Map<string, (start: number) => Uint8Array>();

  constructor(architecture: Architecture, network: boolean) {
    this.#architecture = architecture;
    this.network = network;
  }

  /** Makes that of a child agent's program that runs code, where the policy denies names, ahead. `sockets`: whether it has any. */
  prepare({ sockets }: { readonly sockets: boolean }): void {
    this.of("handed", {
      ...HANDED,
      rules: true,
      handed: "changes and reads",
      sockets: sockets && !this.network,
    });
  }

  /**
   * The filter, by the address of what its program's start is called with. `starts`: whether it is its own start alone, all
   * that the rules let it, or what it hands over; "judged" where what it hands over may be refused.
   */
  of(
    starts: boolean | "handed" | "judged",
    options: Omit<FilterOptions, "network" | "onlyStart" | "handedStarts" | "startsByName">,
  ): (start: number) => Uint8Array {
    const { attributes = true, watches = true, rules, looks, handed, sockets = false } = options;
    const key = [starts, attributes, watches, rules, looks, handed, sockets].join();
    const known = this.#filters.get(key);
    if (known !== undefined) return known;
    const startsByName = starts === "judged";
    const all = { ...options, network: this.network, startsByName };
    const filter = starts === false
      ? alwaysThis(encodeFilter(filterFor(this.#architecture, all)))
      : startFilter(this.#architecture, all, starts === true ? "onlyStart" : "handedStarts");
    this.#filters.set(key, filter);
    return filter;
  }
}

/** What is not a tool's own hands over all that can be. */
const HANDED = { attributes: "handed", watches: "handed", looks: "handed" } as const;

function alwaysThis(bytes: Uint8Array): () => Uint8Array {
  return () => bytes;
}
