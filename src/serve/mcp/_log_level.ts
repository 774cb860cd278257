/** Levels of MCP's log messages: those of RFC 5424, from the least to the most severe. */

/** Levels of log messages, least severe first (RFC 5424, as MCP names them). */
export const LOG_LEVELS = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
] as const;
/** A level of log messages. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Whether a message of this level goes to a client that wants those from `least` on. */
export function isLogged(level: LogLevel, least: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(least);
}
