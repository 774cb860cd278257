/**
 * Traces, metrics and logs of calls by OpenTelemetry: for builds that have the runtime's exporter baked in. It sends
 * in the background, to where OTEL_EXPORTER_OTLP_ENDPOINT says, and nothing before there is something to send.
 */

import { metrics, SpanStatusCode, trace } from "@opentelemetry/api";
import type { CallRequest } from "../core/request.ts";
import type { Result } from "../core/result.ts";

/** One call, observed. */
export interface Observation {
  ended(result: Result): void;
}

/** Observes calls. */
export interface Telemetry {
  begin(request: CallRequest): Observation;
}

const NAME = "toolgate";

/** Names of tools and agents come from callers, and each is a series of its own. */
const LONGEST_NAME = 100;

/** `log` makes a log record. Arguments and outputs stay out of it all: they may hold secrets, and the audit log is where they belong. */
export function createTelemetry(version: string, log: (line: string) => void): Telemetry {
  const tracer = trace.getTracer(NAME, version);
  const meter = metrics.getMeter(NAME, version);
  const calls = meter.createCounter("toolgate.calls", { description: "calls that were answered" });
  const latency = meter.createHistogram("toolgate.latency", {
    description: "from request to answer",
    unit: "ms",
  });
  return {
    begin({ tool, agent, preview }) {
      const asked = tool.slice(0, LONGEST_NAME);
      const span = tracer.startSpan(`tool ${asked}`, {
        attributes: {
          "toolgate.agent": agent.slice(0, LONGEST_NAME),
          "toolgate.preview": preview,
        },
      });
      return {
        ended({ tool: known, success, error, risk, latencyMs }) {
          // What no tool has is one series, however many names are made up.
          const name = error?.code === "UNKNOWN_TOOL" ? "unknown" : known ?? asked;
          const attributes = {
            "toolgate.tool": name.slice(0, LONGEST_NAME),
            "toolgate.code": error?.code ?? "OK",
          };
          calls.add(1, attributes);
          latency.record(latencyMs, { "toolgate.tool": attributes["toolgate.tool"] });
          span.setAttributes({ ...attributes, "toolgate.risk": risk ?? "unknown" });
          if (!success) span.setStatus({ code: SpanStatusCode.ERROR, message: error?.code ?? "" });
          span.end();
          if (!success) log(`call failed ${JSON.stringify(attributes)}`);
        },
      };
    },
  };
}
