/** What operations of the pipe are answered, in the examples of their reference. */

/** An answer of an operation that is no call. */
export function answered(
  id: number,
  op: string,
  output: unknown,
): Readonly<Record<string, unknown>> {
  return {
    id,
    op,
    tool: null,
    success: true,
    output,
    error: null,
    risk: null,
    latency_ms: 0.01,
    usage: {},
  };
}

/** That of one that is refused. */
export function refused(
  id: number,
  op: string,
  code: string,
  message: string,
): Readonly<Record<string, unknown>> {
  const error = { code, message, details: null, rule: null };
  return { ...answered(id, op, null), success: false, error };
}
