/** Sockets of the test itself, which no program of a call may reach. */

import { createSocket, type Socket } from "node:dgram";
import type { Workspace } from "../toolgate.ts";

/** Listeners of this process, and what came in over them. */
export class Ears implements AsyncDisposable {
  readonly heard: string[] = [];
  readonly #tcp = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #unix: Deno.UnixListener;
  readonly #abstract: Deno.UnixListener;
  readonly #udp: Socket = createSocket("udp4");
  readonly #listening: Promise<unknown>[];
  #udpPort = 0;

  private constructor(readonly path: string, readonly abstractPath: string) {
    this.#unix = Deno.listen({ transport: "unix", path });
    this.#abstract = Deno.listen({ transport: "unix", path: abstractPath });
    this.#udp.on("message", () => this.heard.push("udp"));
    this.#listening = [
      this.#accept("tcp", this.#tcp),
      this.#accept("unix", this.#unix),
      this.#accept("abstract", this.#abstract),
    ];
  }

  static async open(workspace: Workspace): Promise<Ears> {
    const ears = new Ears(workspace.path("socket"), `\0${workspace.base}`);
    await new Promise<void>((resolve) => ears.#udp.bind(0, "127.0.0.1", resolve));
    ears.#udpPort = ears.#udp.address().port;
    return ears;
  }

  async #accept(name: string, listener: Deno.Listener): Promise<void> {
    for await (const connection of listener) {
      this.heard.push(name);
      connection.close();
    }
  }

  get targets(): Record<string, unknown> {
    return {
      tcp: this.#tcp.addr.port,
      udp: this.#udpPort,
      unix: this.path,
      abstract: this.abstractPath,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const listener of [this.#tcp, this.#unix, this.#abstract]) listener.close();
    await new Promise<void>((resolve) => this.#udp.close(() => resolve()));
    await Promise.all(this.#listening);
  }
}
