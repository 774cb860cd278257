/** The memory that processes of a run hold together: pages, page tables, what is in sockets and pipes, descriptors. */

import { DescriptorMemory } from "../../host/kernel/descriptor_memory.ts";
import type { ProcessFacts, ProcessTable } from "../../host/kernel/process_table.ts";
import { SocketMemory } from "../../host/kernel/socket_memory.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";

/** Measures no more than it takes to say that they keep to a limit. */
export class RunMemory {
  readonly #table: ProcessTable;
  readonly #sockets: SocketMemory;
  readonly #descriptors: DescriptorMemory;

  constructor(libc: Libc, table: ProcessTable) {
    this.#table = table;
    this.#sockets = new SocketMemory(libc);
    this.#descriptors = new DescriptorMemory(libc);
  }

  /** Bytes that all sockets that there are can hold at most. */
  mostInSockets(): number {
    return this.#sockets.most();
  }

  /** Whether they hold more bytes than `memory`. `inSockets`: see `mostInSockets`. */
  isOver(processes: readonly ProcessFacts[], memory: number, inSockets: number): boolean {
    const held = processes.map(({ id }) => ({ id, ...this.#table.held(id) }));
    const apart = held.reduce((total, one) => total + one.memory, 0);
    const slots = held.reduce((total, one) => total + one.slots, 0);
    if (apart + inSockets + this.#descriptors.most(slots) <= memory) return false;
    const isGone = (id: number): boolean => this.#table.held(id).slots === 0;
    const opened = this.#descriptors.heldBy(held, isGone);
    if (apart + inSockets + opened <= memory) return false;
    const room = memory - apart - opened;
    const beside = opened + this.#sockets.heldBy(held, room, () => this.#table.list(), isGone);
    if (apart + beside <= memory) return false;
    // What processes that were forked from one another share is counted once. Each is read by itself: of those that end
    // meanwhile every one is read as if more of it were its own, so that only what is too much twice is.
    const used = () =>
      processes.reduce(
        (total, { id }) => total + (this.#table.proportional(id) ?? this.#table.held(id).memory),
        0,
      );
    return used() + beside > memory && used() + beside > memory;
  }
}
