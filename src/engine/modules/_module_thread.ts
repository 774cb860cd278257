/** The thread that a module runs on: it loads the module, calls it once, and tells what came of it. */

/** The first and only message to it. */
export interface ModuleSetup {
  readonly code: string;
  readonly file: string;
  readonly entry: "default" | "preview";
  readonly args: Readonly<Record<string, unknown>>;
  readonly tool: string;
  readonly env: Readonly<Record<string, string>>;
  readonly workspace: string;
  /**
   * When it is told to end: `Date.now()`, which process and thread have in common, however long either took to be up (on
   * a busy machine a second and more each).
   */
  readonly endsAt: number;
  /** Takes the one answer. */
  readonly port: MessagePort;
}

/** See `ModuleAnswer`. */
export type FromModule =
  | { readonly kind: "value"; readonly json: string }
  | { readonly kind: "no entry" }
  | { readonly kind: "no value" | "not loaded" | "thrown"; readonly message: string };

/** What a module's function gets beside its arguments. */
export interface ModuleContext {
  /** The name of the tool. */
  readonly tool: string;
  /** Whether it is only to show what it would do. */
  readonly preview: boolean;
  /** The variables that its manifest names. */
  readonly env: Readonly<Record<string, string>>;
  /** Aborted shortly before its time is over. */
  readonly signal: AbortSignal;
}

/** Waits for the setup. To be called once, before anything else runs on the thread. */
export function serveModule(): void {
  const scope = globalThis as unknown as {
    onmessage: ((event: MessageEvent<ModuleSetup>) => void) | null;
  };
  scope.onmessage = (event) => {
    scope.onmessage = null;
    void serve(event.data);
  };
}

async function serve(setup: ModuleSetup): Promise<void> {
  const { file, entry, port } = setup;
  // Kept from before the module, which can put others in their place.
  const { stringify } = JSON;
  const post = port.postMessage.bind(port);
  const url = `data:text/javascript;charset=utf-8,${encodeURIComponent(setup.code)}`;
  const say = (answer: FromModule): void => post(answer);
  const words = describer(file, setup.workspace);
  const controller = new AbortController();
  setTimeout(() => controller.abort(), Math.min(setup.endsAt - Date.now(), LONGEST_TIMER_MS));
  let called: unknown;
  try {
    // The text itself, read by whoever may, on a thread that is held: nothing is looked up.
    // deno-lint-ignore layers/dynamic
    const exported: Record<string, unknown> = await import(url);
    called = exported[entry];
  } catch (error) {
    return say({ kind: "not loaded", message: words(error) });
  }
  if (typeof called !== "function") return say({ kind: "no entry" });
  const context: ModuleContext = Object.freeze({
    tool: setup.tool,
    preview: entry === "preview",
    env: setup.env,
    signal: controller.signal,
  });
  let value: unknown;
  try {
    value = await called(setup.args, context);
  } catch (error) {
    return say({ kind: "thrown", message: words(error) });
  }
  try {
    // Nothing at all is answered as null.
    say({ kind: "value", json: stringify(value) ?? "null" });
  } catch (error) {
    say({ kind: "no value", message: words(error) });
  }
}

const LONGEST_MESSAGE = 2_000;
/** A longer one would fire at once (HTML, timers: a 32-bit signed number). */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The module in messages and stacks, which leave out the middle of a long address. */
const MODULE = /data:text\/javascript\S*?(?=:\d+:\d+|\s|$)/g;
const PLACE = /data:text\/javascript\S*?(:\d+:\d+)/;

/** What the runtime advises whoever compiles a program, and what this one can do. */
const ADVICE = /(?:, specify the required permissions|; run again with the --allow)[\s\S]*$/;
const NEEDS = "; a module gets the files that needs of its manifest names, and nothing else";

/** What was thrown, in words, with the place in the module and without paths outside the workspace. */
function describer(file: string, workspace: string): (thrown: unknown) => string {
  const inside = workspace === "/" ? "/" : `${workspace}/`;
  return (thrown) => {
    try {
      const named = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
      const stack = thrown instanceof Error ? String(thrown.stack) : "";
      const place = PLACE.exec(stack)?.[1];
      const text = named.replace(ADVICE, NEEDS).replaceAll(MODULE, file).replaceAll(inside, "")
        .replaceAll(/(?:file:\/\/)?(?<![\w.])\/[^\s'"`)]*/g, "…").slice(0, LONGEST_MESSAGE);
      return place === undefined || text.includes(`${file}:`) ? text : `${text} (${file}${place})`;
    } catch {
      return "it threw what cannot be told";
    }
  };
}
