/** The operations that only a gate has, as data: see `operations.ts`. */

import { answered } from "./_exchanges.ts";
import type { ProtocolOperation } from "./protocol.ts";

/** Those for whoever is connected, and those for the gate's own user. */
export const GATE_OPERATIONS: readonly ProtocolOperation[] = [
  {
    op: "hello",
    meaning:
      "The first line of a connection to a gate, where there is something to say: what is spoken. It answers as whom.",
    fields: [
      {
        name: "protocol",
        type: '"ndjson" | "mcp"',
        meaning: "mcp: messages of the Model Context Protocol follow",
      },
      {
        name: "token",
        type: "string",
        meaning: "as op: token gave it; what follows is held to it",
      },
    ],
    at: "gate",
    exchange: {
      requests: [{ id: 1, op: "hello" }],
      answers: [answered(1, "hello", { agent: "root" })],
    },
  },
  {
    op: "token",
    meaning:
      "Makes a token that can do less than who asks: for hello on other connections, and for who made it alone. " +
      "revoke with token, its id, ends it.",
    fields: [
      { name: "agent", type: "string", meaning: "who speaks by it; yours unless given" },
      { name: "permissions", type: "array", meaning: "what is left of your permission groups" },
      { name: "paths", type: "array", meaning: "globs: what is left of the files" },
      {
        name: "commands",
        type: "array",
        meaning: "their beginnings: what is left of the commands",
      },
      { name: "tokens", type: "number", meaning: "how many may be spent; they count for you, too" },
      { name: "expires", type: "string", meaning: "how long it is good: 10m" },
      { name: "uid", type: "number", meaning: "the user by whom alone it can be shown" },
    ],
    at: "gate",
    exchange: {
      requests: [{ id: 1, op: "token", permissions: ["file_read"], expires: "10m" }],
      answers: [answered(1, "token", { id: "tk_1", agent: "root", permissions: ["file_read"] })],
    },
  },
  {
    op: "gate",
    meaning: "Who is connected to the gate; for its own user alone.",
    fields: [],
    at: "gate",
    exchange: {
      requests: [{ id: 1, op: "gate" }],
      answers: [answered(1, "gate", { connections: [{ agent: "root", held_bytes: 0 }] })],
    },
  },
  {
    op: "stop",
    meaning: "Ends the gate as SIGTERM does; for its own user alone.",
    fields: [],
    at: "gate",
    exchange: {
      requests: [{ id: 1, op: "stop" }],
      answers: [answered(1, "stop", { stopping: true })],
    },
  },
];
