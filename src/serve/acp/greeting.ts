/** What an agent of the Agent Client Protocol hears first. */

import { requestMessage } from "../mcp/messages.ts";

/** The version that is spoken. */
export const VERSION = 1;
/** The id of the first request. */
export const INITIALIZE = 0;

/** The line that such an agent is greeted with: it speaks when it is spoken to. */
export function greeting(version: string): string {
  return requestMessage(INITIALIZE, "initialize", {
    protocolVersion: VERSION,
    clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true },
    clientInfo: { name: "toolgate", version },
  });
}
