/** Signals by name and number. */

/** Signals by number on both architectures (signal(7)). */
export const SIGNALS = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGTRAP: 5,
  SIGABRT: 6,
  SIGBUS: 7,
  SIGFPE: 8,
  SIGKILL: 9,
  SIGUSR1: 10,
  SIGSEGV: 11,
  SIGUSR2: 12,
  SIGPIPE: 13,
  SIGALRM: 14,
  SIGTERM: 15,
  SIGSTKFLT: 16,
  SIGCHLD: 17,
  SIGCONT: 18,
  SIGSTOP: 19,
  SIGTSTP: 20,
  SIGTTIN: 21,
  SIGTTOU: 22,
  SIGURG: 23,
  SIGXCPU: 24,
  SIGXFSZ: 25,
  SIGVTALRM: 26,
  SIGPROF: 27,
  SIGWINCH: 28,
  SIGIO: 29,
  SIGPWR: 30,
  SIGSYS: 31,
} as const;
/** A signal by its name: `SIGTERM`. */
export type SignalName = keyof typeof SIGNALS;

/** Real-time signals are told by their number. */
export function signalName(number: number): string {
  for (const [name, value] of Object.entries(SIGNALS)) if (value === number) return name;
  return `SIG${number}`;
}

/** `TERM`, `sigterm` or `15`; null for none. */
export function signalNumber(text: string): number | null {
  if (/^[0-9]{1,2}$/.test(text)) return Number(text);
  const name = `SIG${text.toUpperCase().replace(/^SIG/, "")}`;
  return Object.hasOwn(SIGNALS, name) ? SIGNALS[name as SignalName] : null;
}
