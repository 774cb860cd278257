/**
 * What listings have of tools: plain data, which a build carries, so that a listing needs no tool loaded. A call needs
 * one, and is judged by what that says of itself.
 */

import type { Tool, ToolDescription } from "../core/tool.ts";
import { describeTool } from "./catalogue.ts";

/** A tool as it is listed. */
export interface ListedTool {
  readonly description: ToolDescription;
  /** What a policy is asked about it. */
  readonly subject: Pick<Tool, "name" | "risk" | "permission" | "riskOfPrograms" | "leastRisk">;
  /** Of a tool that is another name for others: their canonical names. Else null. */
  readonly standsFor: readonly string[] | null;
}

/** Listed tools that are there as data, as a module has them that is loaded when they are first asked for. */
export type CarriedListing = () => Promise<{ readonly default: readonly ListedTool[] }>;

/** What a listing has of a tool. */
export function listedTool(tool: Tool, aliases: readonly string[]): ListedTool {
  const { name, risk, permission, riskOfPrograms, leastRisk } = tool;
  return {
    description: describeTool(tool, aliases),
    subject: {
      name,
      risk,
      permission,
      ...(riskOfPrograms === undefined ? {} : { riskOfPrograms }),
      ...(leastRisk === undefined ? {} : { leastRisk }),
    },
    standsFor: tool.standsFor?.tools ?? null,
  };
}
