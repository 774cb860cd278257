/** Numbers of jobs: in one process each is given once, whoever runs what it stands for. */

/** Counts on from 1. */
export class JobNumbers {
  #last = 0;

  /** The next one. */
  readonly next = (): number => ++this.#last;
}
