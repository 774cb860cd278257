/** What a gate answers who makes tokens and ends them. */

import { ToolError } from "../../core/errors.ts";
import type { Recorder } from "../../engine/recorder.ts";
import type { TokenTerms } from "../_read_token.ts";
import { recordToken } from "./_token_record.ts";
import type { Maker } from "./token.ts";
import type { Tokens } from "./tokens.ts";

/** The answer to `op: token`, which alone holds the secret. */
export function makeToken(
  tokens: Tokens,
  maker: Maker,
  terms: TokenTerms,
  recorder: Recorder,
): Readonly<Record<string, unknown>> {
  const { secret, token } = tokens.make(maker, terms);
  const { id, agent, uid, permissions } = token;
  const expires = token.expiresAt === null ? null : new Date(token.expiresAt).toISOString();
  const { paths, commands, tokens: budget } = terms;
  const shown = { agent, uid, permissions, paths, commands, tokens: budget, expires };
  try {
    recordToken(recorder, { tool: "token", agent: maker.agent.name, id, terms: shown });
  } catch (error) {
    tokens.revoke(id, maker);
    throw error;
  }
  return { token: secret, id, ...shown };
}

/** The answer to `op: revoke` of a token. Throws INVALID_REQUEST for one that is not his to end. */
export function revokeToken(
  tokens: Tokens,
  maker: Maker,
  id: string,
  recorder: Recorder,
): Readonly<Record<string, unknown>> {
  if (!tokens.revoke(id, maker)) {
    throw new ToolError(
      "INVALID_REQUEST",
      "token: none of yours has this id (tk_1, as op: token gave it); it may be over already",
    );
  }
  recordToken(recorder, { tool: "revoke", agent: maker.agent.name, id, terms: {} });
  return { token: id, revoked: true };
}
