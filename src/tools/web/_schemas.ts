/** What the tools of the web have in common: members of their schemas, and how pages are asked for. */

import type { WebAnswer } from "../../core/network.ts";
import type { ToolContext } from "../../core/tool.ts";

/** The `url` argument. */
export function urlSchema(description: string) {
  return { type: "string", minLength: 1, maxLength: 8192, description } as const;
}

/** The `timeout` argument, in seconds. */
export function timeoutSchema<D extends number>(seconds: D) {
  return {
    type: "integer",
    minimum: 1,
    maximum: 300,
    default: seconds,
    description: "Seconds until the whole answer must be there.",
  } as const;
}

/** Members of an answer that came from one address. */
export const ANSWERED = {
  url: { type: "string", description: "Where it was in the end." },
  truncated: {
    type: "boolean",
    description: "The answer was longer than limits.response: its end is not there at all.",
  },
  from_cache: { type: "boolean", description: "It was kept, and still holds." },
} as const;

/** Marks what others wrote. */
export const UNTRUSTED = {
  type: "boolean",
  description: "Always true: it was written by others, for whatever ends.",
} as const;

/** Markdown first: who has it saves everybody the guessing. */
export const READABLE =
  "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/*;q=0.8, */*;q=0.5";

/** A page that a caller names: robots.txt is asked as the policy says, and it may come from memory. */
export function fetchPage(
  { network, web }: Pick<ToolContext, "network" | "web">,
  { url, timeout, accept }: {
    readonly url: string;
    /** Seconds. */
    readonly timeout: number;
    readonly accept: string;
  },
): Promise<WebAnswer> {
  return network.fetch({
    url,
    timeoutMs: timeout * 1000,
    headers: { accept },
    robots: web.robots === "honor",
    cache: true,
  });
}
