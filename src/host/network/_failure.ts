/** Failures of the network, in one form. */

import { ToolError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";

/** What went wrong, for programs: `details.reason` of NETWORK_ERROR. */
export type NetworkReason =
  | "dns"
  | "refused"
  | "unreachable"
  | "reset"
  | "certificate"
  | "tls"
  | "no answer"
  | "protocol"
  | "length"
  | "compression"
  | "redirect"
  | "proxy";

/** The error that a call ends with. `place`: `host:port`, as it is shown. */
export function networkError(reason: NetworkReason, place: string, why: string): ToolError {
  return new ToolError("NETWORK_ERROR", `${printable(place, 200)}: ${printable(why, 300)}`, {
    details: { reason, place: printable(place, 200) },
  });
}

/** A failure of the runtime's sockets, by its class. */
export function socketError(error: unknown, place: string, doing: string): ToolError {
  if (error instanceof ToolError) return error;
  const is = (...kinds: readonly (new (...of: never[]) => Error)[]) =>
    kinds.some((kind) => error instanceof kind);
  if (is(Deno.errors.ConnectionRefused)) {
    return networkError("refused", place, "it refuses connections");
  }
  if (is(Deno.errors.ConnectionReset, Deno.errors.BrokenPipe, Deno.errors.ConnectionAborted)) {
    return networkError("reset", place, `the connection was reset while ${doing}`);
  }
  if (is(Deno.errors.NotCapable)) {
    return new ToolError(
      "NATIVE_DENIED",
      `${
        printable(place, 200)
      }: the runtime's permission set refused what the policy layer had let through`,
    );
  }
  if (is(Deno.errors.PermissionDenied)) {
    return new ToolError(
      "NATIVE_DENIED",
      `${printable(place, 200)}: the kernel refused what the policy layer had let through`,
    );
  }
  const text = error instanceof Error ? error.message : String(error);
  if (/certificate|UnknownIssuer|NotValidForName/i.test(text)) {
    return networkError("certificate", place, `its certificate does not hold: ${text}`);
  }
  if (is(Deno.errors.InvalidData)) return networkError("tls", place, `TLS failed: ${text}`);
  if (is(Deno.errors.UnexpectedEof)) {
    return networkError("reset", place, `the connection ended while ${doing}`);
  }
  return networkError("unreachable", place, `${doing} failed: ${text}`);
}
