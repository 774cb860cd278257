/** The protocol of the pipe, as data: what help, the reference and the tests know of every field, event and rule. */

/** One field of a line. */
export interface ProtocolField {
  readonly name: string;
  /** As in JSON: `string`, `number`, `object`, `"once" | "session"`. */
  readonly type: string;
  readonly meaning: string;
}

/** Lines that go in, and lines that come out: what stands in `answers` comes in this order for these requests. */
export interface Exchange {
  readonly requests: readonly Readonly<Record<string, unknown>>[];
  readonly answers: readonly Readonly<Record<string, unknown>>[];
}

/** One operation of a request line. */
export interface ProtocolOperation {
  readonly op: string;
  readonly meaning: string;
  /** Its fields beside `id` and `op`. */
  readonly fields: readonly ProtocolField[];
  /** Where it is for a gate alone; a pipe answers GATE_REQUIRED. */
  readonly at?: "gate";
  readonly exchange: Exchange;
}

/** One event: a line that is no answer. */
export interface ProtocolEvent {
  readonly event: string;
  readonly meaning: string;
  readonly fields: readonly ProtocolField[];
}

/** The fields of every answer. */
export const ANSWER_FIELDS: readonly ProtocolField[] = [
  {
    name: "id",
    type: "string | number | null",
    meaning: "that of the request, unchanged; null where none could be read",
  },
  { name: "op", type: "string", meaning: "the operation; absent for a call" },
  { name: "tool", type: "string | null", meaning: "the tool that ran, by its own name" },
  { name: "success", type: "boolean", meaning: "whether error is null" },
  {
    name: "output",
    type: "object | null",
    meaning: "what the tool answers; a failure can have one too",
  },
  {
    name: "error",
    type: "object | null",
    meaning: "code, message, details, and rule: the policy's rule behind a refusal",
  },
  {
    name: "risk",
    type: '"safe" | "moderate" | "dangerous" | null',
    meaning: "of what the call would do",
  },
  {
    name: "latency_ms",
    type: "number",
    meaning: "from its line to its answer, waiting for somebody to agree left out",
  },
  { name: "usage", type: "object", meaning: "what it took; layers says what held it" },
];

/** Every event. */
export const EVENTS: readonly ProtocolEvent[] = [
  {
    event: "stdout",
    meaning:
      "What a program says, as it says it; where the request has stream: true, of tools that answer just that.",
    fields: [{ name: "data", type: "string", meaning: "text; a character is never parted" }],
  },
  {
    event: "stderr",
    meaning: "Likewise, of standard error.",
    fields: [{ name: "data", type: "string", meaning: "text; a character is never parted" }],
  },
  {
    event: "progress",
    meaning: "How far a long call is; where the request has stream: true.",
    fields: [
      { name: "done", type: "number", meaning: "so many units" },
      { name: "total", type: "number | null", meaning: "of so many; null where nobody knows" },
      { name: "unit", type: "string", meaning: "what is counted" },
      { name: "message", type: "string", meaning: "the same for people" },
    ],
  },
  {
    event: "approval_required",
    meaning: "Somebody has to agree before the request runs: answer with approve or reject.",
    fields: [
      { name: "approval", type: "string", meaning: "its name" },
      { name: "tool", type: "string", meaning: "the tool" },
      { name: "agent", type: "string", meaning: "who asks" },
      { name: "description", type: "string", meaning: "the action in a line" },
      { name: "risk", type: '"safe" | "moderate" | "dangerous"', meaning: "of that action" },
      { name: "reason", type: "string", meaning: "why it is asked, and by which rule" },
      { name: "expires_at", type: "string", meaning: "until when (ISO 8601)" },
      {
        name: "remember",
        type: "array",
        meaning:
          'what approve may say: "once" alone where the action runs what its words do not name',
      },
      {
        name: "once_because",
        type: "string",
        meaning: "why it cannot be remembered; where it cannot",
      },
      {
        name: "while_running",
        type: "true",
        meaning: "where the line runs already, and waits with what it has started",
      },
      { name: "preview", type: "object | null", meaning: "what it would do" },
    ],
  },
  {
    event: "task",
    meaning: "The first line that a child agent reads: what it is to do. It belongs to no request.",
    fields: [
      { name: "task", type: "string", meaning: "in words, as spawn_child_agent was given it" },
      { name: "context", type: "any", meaning: "whatever stood beside it; null for nothing" },
    ],
  },
  {
    event: "message",
    meaning: "What a child agent is told while it works. It belongs to no request.",
    fields: [
      { name: "from", type: "string", meaning: "the agent that sent it" },
      { name: "message", type: "any", meaning: "what send_message_to_agent was given" },
    ],
  },
];

/** What holds for all lines, one sentence each. */
export const PROTOCOL_RULES: readonly string[] = [
  "One JSON value a line, UTF-8, in both directions; at most limits.request bytes in (16 MiB unless the policy says otherwise).",
  "Requests run at the same time, up to limits.concurrency, and answer as they are done; two writes to one path keep their order.",
  "An unknown key is refused: a misspelt preview must not run for real.",
  "A line that cannot be read gets an answer with an error, and the pipe goes on.",
  "At the end of the input what runs is finished and answered, then the process ends with 0. SIGTERM: nothing new begins.",
  "A reader that stops reading makes the writer wait; memory stays bounded.",
  "At a gate (serve --listen) each connection speaks so. What it leaves running is cancelled when it closes; at the end of what it sends, as at the end of an input, what runs is answered.",
];
