/** Ways out for programs that rules open hosts to: the proxy on the main thread, and what each job's programs may by it. */

import { ToolError } from "../../core/errors.ts";
import type { Proxy } from "../../host/network/proxy.ts";
import type { SecretRule } from "../../policy/model.ts";
import type {
  DirectPlace,
  OpenedRoute,
  ProxyReport,
  ProxySecret,
  Unreached,
} from "../../host/network/proxy_route.ts";
import type { Rulebook, Started } from "../../policy/rulebook.ts";
import type { Job, Outcome } from "../runner.ts";
import { judgeConnection } from "./_connections.ts";
import type { FromWorker } from "./_protocol.ts";
import type { Thread } from "./pool_thread.ts";

/** Of all jobs; what they take is loaded with the first program that connects. */
export class WaysOut {
  readonly #rulebook: Rulebook;
  readonly #tokens = new Map<number, Set<string>>();
  /** What programs of a job have reached, for the log. */
  readonly #hosts = new Map<number, Set<string>>();
  #proxy: Promise<Proxy> | null = null;

  constructor(rulebook: Rulebook) {
    this.#rulebook = rulebook;
  }

  /** A way out for one program of a job; a sentence where there is none. */
  async open(
    number: number,
    { subject, grant }: Pick<Job, "subject" | "grant">,
    command: Started,
  ): Promise<OpenedRoute | string> {
    const rulebook = this.#rulebook;
    const tokens = new Set<string>();
    this.#tokens.set(number, this.#tokens.get(number) ?? tokens);
    try {
      await rulebook.prepare([{ kind: "net.connect" }]);
      const proxy = await (this.#proxy ??= openProxy(rulebook));
      // It may have ended meanwhile.
      const open = this.#tokens.get(number);
      if (open === undefined) return "its call has ended";
      const { keyOf } = await import("../../host/network/web_parts.ts");
      const withKey = ({ host, port, header, prefix, key: place }: SecretRule): ProxySecret => {
        const key = keyOf(place);
        return { host, port, header, key, value: key === null ? null : prefix + key };
      };
      const network = rulebook.networkOf(command);
      const route = proxy.open({
        hosts: network?.hosts ?? [],
        judge: (connection) =>
          judgeConnection(rulebook, subject, grant.connect, {
            ...connection,
            kind: "net.connect",
            by: "program",
            command,
            proxied: true,
          }),
        secrets: (network?.secrets ?? []).map(withKey),
      });
      open.add(route.token);
      return route;
    } catch (error) {
      return error instanceof ToolError ? error.message : "the proxy cannot be had";
    }
  }

  /** Connects for a program that has a way out. */
  async reach(number: number, token: string, to: DirectPlace): Promise<OpenedRoute | Unreached> {
    const proxy = this.#tokens.get(number)?.has(token) === true ? await this.#proxy : null;
    return await proxy?.reach(token, to) ?? "unreachable";
  }

  /** Ends what programs of a job are connected to. */
  async end(number: number, tokens: readonly string[]): Promise<ProxyReport> {
    const proxy = await this.#proxy;
    const own = tokens.filter((token) => this.#tokens.get(number)?.delete(token));
    const reports = own.map((token) => proxy?.end(token) ?? { reached: [], refused: [] });
    const report = {
      reached: reports.flatMap(({ reached }) => reached),
      refused: reports.flatMap(({ refused }) => refused),
    };
    if (report.reached.length > 0) {
      const hosts = this.#hosts.get(number) ?? new Set();
      for (const { host } of report.reached) hosts.add(host);
      this.#hosts.set(number, hosts);
    }
    return report;
  }

  /**
   * The job has ended, however: nothing of it goes out any more. Gives the hosts that its programs reached; null for one
   * that had no way out.
   */
  settle(number: number): Promise<readonly string[]> | null {
    const tokens = this.#tokens.get(number);
    return tokens === undefined ? null : this.#settle(number, tokens);
  }

  async #settle(number: number, tokens: ReadonlySet<string>): Promise<readonly string[]> {
    await this.end(number, [...tokens]);
    this.#tokens.delete(number);
    const hosts = [...this.#hosts.get(number) ?? []];
    this.#hosts.delete(number);
    return hosts;
  }

  /** As {@linkcode settle}, with what came of the job: the log says which hosts there were. */
  settled(number: number, outcome: Outcome): Promise<Outcome> | null {
    return this.settle(number)?.then((hosts) =>
      hosts.length === 0 ? outcome : { ...outcome, usage: { ...outcome.usage, hosts } }
    ) ?? null;
  }

  /** Answers a thread whose programs connect, or have ended. */
  async answer(
    { say, jobs }: Pick<Thread, "say" | "jobs">,
    message: Extract<FromWorker, { readonly kind: "connects" | "dials" | "disconnects" }>,
  ): Promise<void> {
    const { request, job: number } = message;
    if (message.kind === "disconnects") {
      say({ kind: "gone", request, report: await this.end(number, message.tokens) });
      return;
    }
    if (message.kind === "dials") {
      const way = await this.reach(number, message.token, message.to);
      say({ kind: "dialled", request, way });
      return;
    }
    const job = jobs.get(number)?.job;
    if (job === undefined) return;
    say({ kind: "way", request, way: await this.open(number, job, message.command) });
  }

  async close(): Promise<void> {
    this.#tokens.clear();
    (await this.#proxy?.catch(() => null))?.close();
  }
}

async function openProxy({ settings }: Rulebook): Promise<Proxy> {
  const [{ Proxy }, { resolveHost }, { readWebParts }] = await Promise.all([
    import("../../host/network/proxy.ts"),
    import("../../host/network/resolve.ts"),
    import("../../host/network/web_parts.ts"),
  ]);
  const { authorities, keys: { proxy: login } } = readWebParts(settings.web);
  return new Proxy({ resolve: resolveHost, authorities, upstream: settings.web.proxy, login });
}
