/** What programs are given of the system: all that may be read of it, or less where they need less. */

import type { CanonicalPath, Program } from "../../core/capability.ts";
import { resolver } from "../../host/paths/canonicalize.ts";
import type { PathProbe } from "../../host/paths/path_probe.ts";
import type { Effects } from "../../policy/rulebook.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { basicsOf } from "../../sandbox/system_paths.ts";
import { isWithin } from "../../sandbox/within.ts";
import { withoutPrograms } from "./_own_starts.ts";

/** Looked up once each: what is installed later is seen by the next Toolgate. */
export class SystemReach {
  readonly #libc: Libc;
  readonly #probe: PathProbe;
  readonly #system: readonly string[];
  readonly #basics: readonly string[];
  #real: readonly CanonicalPath[] | null = null;
  #libraries: readonly string[] | null = null;
  #basicLibraries: readonly string[] | null = null;

  /** `system`: what programs may read and execute beyond the workspace. */
  constructor(libc: Libc, probe: PathProbe, system: readonly string[]) {
    this.#libc = libc;
    this.#probe = probe;
    this.#system = system;
    this.#basics = basicsOf(system);
  }

  /**
   * What a program whose files are those of its words reads of the system. One that may start some others and not all has
   * no folder of programs: the loader, which all of them must be able to execute, is called with the name of a program in
   * vain then, since it can only load what it can read. `only`: its filter lets no other start through, or any.
   */
  of({ beyond }: Pick<Effects, "beyond">, only: boolean): readonly string[] {
    if (beyond === "system") return only ? this.#system : this.libraries();
    if (only) return this.#basics;
    return this.#basicLibraries ??= withoutPrograms(this.#libc, this.#basics);
  }

  /** Where its paths lead. */
  real(): readonly CanonicalPath[] {
    const resolve = resolver(this.#probe.entryAt, this.#probe.isStraight);
    return this.#real ??= this.#system.flatMap((path) => resolve("/" as CanonicalPath, path) ?? []);
  }

  /** Whether a program lies where its paths lead. */
  holds({ path }: Pick<Program, "path">): boolean {
    return this.real().some((one) => isWithin(one, path));
  }

  /** All of it but the folders of programs. */
  libraries(): readonly string[] {
    return this.#libraries ??= withoutPrograms(this.#libc, this.#system);
  }
}
