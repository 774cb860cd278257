/** Connections of programs that know no proxy: one that was dialled already, and one that asks for names. */

import { ToolError } from "../../core/errors.ts";
import type { Connection } from "./_connection.ts";
import type { DirectPlaces } from "./_direct_places.ts";
import { answerTo, malformed, questionOf } from "./_name_server.ts";
import type { ProxyTraffic } from "./_reach.ts";
import { Reader } from "./_reader.ts";
import { tunnel } from "./_tunnel.ts";
import type { DirectPlace, Unreached } from "./proxy_route.ts";

/** How long reaching a host may take, and how long who asked for it to come. */
const DIAL_MS = 30_000;
const TAKEN_MS = 5_000;

/** One that was asked for, and is then taken up by whoever connects with its token. */
export class DirectConnection {
  readonly #controller = new AbortController();
  readonly #traffic: Pick<ProxyTraffic, "count">;
  #dialled: { readonly server: Connection; readonly place: string } | null = null;
  #timer: number | null = null;
  /** `performance.now()` */
  lastActive = performance.now();

  constructor(traffic: Pick<ProxyTraffic, "count">) {
    this.#traffic = traffic;
  }

  /** Null where it was reached. */
  async dial(places: DirectPlaces, to: DirectPlace): Promise<Unreached | null> {
    const timer = setTimeout(() => this.#controller.abort("TIMEOUT"), DIAL_MS);
    const { signal } = this.#controller;
    try {
      this.#dialled = await places.dial(to, signal);
      this.#timer = setTimeout(() => this.end(), TAKEN_MS);
      return null;
    } catch (error) {
      this.end();
      return signal.reason === "TIMEOUT" ? "timeout" : whyNot(error);
    } finally {
      clearTimeout(timer);
    }
  }

  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#controller.abort("ended");
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Until it has ended. Never rejects. */
  async serve(client: Connection): Promise<void> {
    const dialled = this.#dialled;
    if (this.#timer !== null) clearTimeout(this.#timer);
    try {
      if (dialled === null) return;
      const { server, place } = dialled;
      await tunnel({
        client,
        from: new Reader(client, "the program"),
        server,
        place,
        count: (sent, received) => {
          this.lastActive = performance.now();
          this.#traffic.count(place, sent, received);
        },
      });
    } catch {
      // Whoever is not there any more is told nothing.
    } finally {
      this.end();
      client.close();
    }
  }
}

function whyNot(error: unknown): Unreached {
  if (!(error instanceof ToolError)) return "unreachable";
  if (error.code === "NETWORK_DENIED") return "denied";
  return error.details?.["reason"] === "refused" ? "refused" : "unreachable";
}

/** One that asks for names (RFC 1035, 4.2.2: each question and answer with its length in front). */
export class NameConnection {
  readonly #controller = new AbortController();
  /** `performance.now()` */
  lastActive = performance.now();

  end(): void {
    this.#controller.abort("ended");
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Until it has ended. Never rejects. */
  async serve(client: Connection, places: DirectPlaces): Promise<void> {
    const reader = new Reader(client, "the program");
    try {
      for (;;) {
        const length = await reader.exactly(2);
        const query = length === null ? null : await reader.exactly(length[0]! * 256 + length[1]!);
        if (query === null) return;
        this.lastActive = performance.now();
        const question = questionOf(query);
        const answer = question === null
          ? malformed(query)
          : answerTo(query, question, await places.lookUp(question.name, this.signal));
        if (answer === null) return;
        await client.write(Uint8Array.of(answer.length >> 8, answer.length & 0xff, ...answer));
      }
    } catch {
      // Whoever is not there any more is told nothing.
    } finally {
      this.end();
      client.close();
    }
  }
}
