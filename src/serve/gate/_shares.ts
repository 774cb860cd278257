/** What a gate holds for those who are connected, and what of it is each one's share where all that may be held is. */

/** One connection, as it is counted. */
export interface Sharer {
  /** User number of who is behind it. */
  readonly uid: number;
  /** Bytes that are counted for it: of requests that have not been answered, of unfinished lines and of unread answers. */
  readonly counted: number;
}

/** Bytes held by user, beside how many connections each has. */
export class Shares {
  /** Bytes that may be held for all together before shares matter. */
  readonly #most: number;
  readonly #users = new Map<number, { connections: number; held: number }>();
  #connections = 0;
  #held = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Whether more is held than may be. */
  get usedUp(): boolean {
    return this.#held > this.#most;
  }

  /** Bytes that each connection may have held for it whatever the others do. */
  get each(): number {
    return this.#most / Math.max(1, this.#connections);
  }

  /** Connections of one user. */
  connections(uid: number): number {
    return this.#users.get(uid)?.connections ?? 0;
  }

  enter(uid: number): void {
    const user = this.#users.get(uid);
    if (user === undefined) this.#users.set(uid, { connections: 1, held: 0 });
    else user.connections++;
    this.#connections++;
  }

  /** To be called when nothing is counted for the connection any more. */
  leave(uid: number): void {
    const user = this.#users.get(uid);
    if (user === undefined) return;
    user.connections--;
    if (user.connections === 0) this.#users.delete(uid);
    this.#connections--;
  }

  /** So many bytes more are held for a user's connections; fewer where it is negative. */
  count(uid: number, bytes: number): void {
    const user = this.#users.get(uid);
    if (user === undefined) return;
    user.held += bytes;
    this.#held += bytes;
  }

  /** Whether all that may be held is, and who is behind a connection holds more of it than others leave him. */
  isOver({ uid, counted }: Sharer): boolean {
    return this.usedUp && (this.#users.get(uid)?.held ?? 0) > this.#most / this.#users.size &&
      counted > this.each;
  }
}
