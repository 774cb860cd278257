/** Choosing among the versions that a registry has. */

/** The highest that is `asked`, or begins with it as a whole number does (`1.2` of `1.2.9`); null where none does. */
export function versionFor(asked: string, versions: readonly string[]): string | null {
  const wanted = asked.trim().replace(/^[\^~=v\s]+/, "");
  if (versions.includes(asked)) return asked;
  const exact = versions.find((one) => one === wanted || one === `v${wanted}`);
  if (exact !== undefined) return exact;
  const stem = wanted.replace(/(?:\.[x*])+$/, "");
  if (!/^\d+(?:\.\d+)*$/.test(stem)) return null;
  return newest(versions.filter((one) => one.replace(/^v/, "").startsWith(`${stem}.`)));
}

/** The highest; one that is finished before any that is not. */
export function newest(versions: readonly string[]): string | null {
  let best: string | null = null;
  for (const one of versions) if (best === null || isNewer(one, best)) best = one;
  return best;
}

function isNewer(one: string, other: string): boolean {
  const [a, b] = [parts(one), parts(other)];
  if (a.finished !== b.finished) return a.finished;
  for (let at = 0; at < Math.max(a.numbers.length, b.numbers.length); at++) {
    const difference = (a.numbers[at] ?? 0) - (b.numbers[at] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return one > other;
}

function parts(version: string) {
  const release = /^v?(\d+(?:\.\d+)*)(.*)$/.exec(version);
  return {
    numbers: (release?.[1] ?? "").split(".").map(Number),
    // `1.0-rc.1`, `1.0rc1`, `1.0.dev3`; not `1.0+build` and `1.0.post1`.
    finished: release !== null && !/^[-.]?[a-z]/i.test((release[2] ?? "").replace(/^\.?post/, "+")),
  };
}
