/** Reading profiles in tests. */

import { openProfile } from "../../../../../src/tools/analysis/profiles/open_profile.ts";
import { weigh } from "../../../../../src/tools/analysis/profiles/weigh.ts";
import { createMemory } from "../../_memory_context.ts";
import type { Profile } from "../../../../../src/tools/analysis/profiles/model.ts";

/** As the tool opens it. */
export function read(data: string | Uint8Array): Profile {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  return openProfile({ kind: "bytes", bytes }, createMemory().context).profile;
}

/** Own and total by name, without those that have neither; what has one name is added. */
export function byName(profile: Profile): Readonly<Record<string, readonly [number, number]>> {
  const { own, total } = weigh(profile);
  const found = new Map<string, readonly [number, number]>();
  profile.frames.forEach(({ name }, index) => {
    const before = found.get(name) ?? [0, 0];
    const row = [before[0] + (own[index] ?? 0), before[1] + (total[index] ?? 0)] as const;
    if (row[0] !== 0 || row[1] !== 0) found.set(name, row);
  });
  return Object.fromEntries(found);
}

/** One of the profiles that real tools wrote. */
export function recorded(name: string): Uint8Array<ArrayBuffer> {
  return Deno.readFileSync(new URL(`recorded/${name}`, import.meta.url));
}

export function recordedText(name: string): string {
  return new TextDecoder().decode(recorded(name));
}
