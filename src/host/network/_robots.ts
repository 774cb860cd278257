/** robots.txt (RFC 9309): whether a path may be fetched by this agent. */

/** A line of a group: the longest one that matches decides, `allow` where two are as long. */
interface RobotsRule {
  readonly allow: boolean;
  readonly length: number;
  readonly path: RegExp;
}

/** The rules that a file has for one agent. */
export type Robots = readonly RobotsRule[];

/** Bytes that are parsed; a parser may stop at 500 KiB (RFC 9309, 2.5). */
export const ROBOTS_LIMIT = 512 * 1024;

/** `agent`: the product of the User-Agent, without its version. */
export function parseRobots(text: string, agent: string): Robots {
  const groups: { readonly agents: string[]; readonly rules: RobotsRule[] }[] = [];
  let inRules = true;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const found = /^\s*([A-Za-z-]+)\s*:\s*([^#]*)/.exec(line);
    if (found === null) continue;
    const key = found[1]!.toLowerCase();
    const value = found[2]!.trim();
    if (key === "user-agent") {
      if (inRules) groups.push({ agents: [], rules: [] });
      inRules = false;
      groups[groups.length - 1]?.agents.push(value.toLowerCase());
    } else if (key === "allow" || key === "disallow") {
      inRules = true;
      if (value === "") continue;
      groups[groups.length - 1]?.rules.push(ruleOf(key === "allow", value));
    }
  }
  const own = agent.toLowerCase();
  const named = groups.filter(({ agents }) => agents.includes(own));
  const chosen = named.length > 0 ? named : groups.filter(({ agents }) => agents.includes("*"));
  return chosen.flatMap(({ rules }) => rules);
}

/** `path`: with the query, as it is sent. */
export function allows(robots: Robots, path: string): boolean {
  let best: RobotsRule | null = null;
  for (const rule of robots) {
    if (!rule.path.test(path)) continue;
    const longer = best === null || rule.length > best.length;
    if (longer || (rule.length === best?.length && rule.allow)) best = rule;
  }
  return best?.allow ?? true;
}

/** `*` for any characters, `$` at the end for the end. Runs of `*` are one: they mean no more and cost time. */
function ruleOf(allow: boolean, value: string): RobotsRule {
  const anchored = value.endsWith("$");
  const pattern = (anchored ? value.slice(0, -1) : value)
    .split(/\*+/)
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join(".*?");
  return { allow, length: value.length, path: new RegExp(`^${pattern}${anchored ? "$" : ""}`) };
}
