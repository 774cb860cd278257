/** Types of `promptSecret` of `@std/cli`. */

/** What is shown of what is typed. */
export interface PromptSecretOptions {
  /** Shown for each character; `""` for nothing. Default: `*`. */
  mask?: string;
  /** Removes the prompt from the screen afterwards. Default: false. */
  clear?: boolean;
}

/** Asks on the terminal without showing the answer. Null where stdin is no terminal. */
export function promptSecret(message?: string, options?: PromptSecretOptions): string | null;
