/** What a command would do by its arguments: how risky it is, and which further programs it would start. */

import { baseName } from "../core/path_text.ts";
import type { Program, SpawnCapability } from "../core/capability.ts";
import { type Risk, RISKS } from "../core/tool.ts";
import { moduleWords } from "./_code.ts";
import { type Assessed, inspectArguments, installedPath, runsSomething } from "./_inspect.ts";
import { OPEN_COMMAND } from "./scripts/open_command.ts";
import { hasScript, isOpenCommand } from "./scripts/shell_text.ts";
import { commandsIn } from "./_started.ts";
import { builtInKnowledge, type CommandKnowledge, type ProgramSpec } from "./table.ts";
import { isUnderstood, unwrap, type Unwrapped } from "./unwrap.ts";

export { builtInKnowledge, type CommandKnowledge } from "./table.ts";
export type { Assessed } from "./_inspect.ts";

/** Commands inside commands (`nice timeout 5 env …`) that are followed; people need two. */
const MAX_DEPTH = 8;

/** What is known of a command without running it. */
export interface CommandAssessment {
  readonly risk: Risk;
  /** What makes it so, as in "find -delete deletes what it finds"; empty where there is nothing to say. */
  readonly because: string;
  /** Commands that it would start itself, outermost first: rules judge each as if it were started alone. */
  readonly inner: readonly (readonly string[])[];
  /** How risky each is by its own words alone: itself first, then those of `inner` in their order. */
  readonly risks: readonly Assessed[];
  /** Why it cannot be said what would run; null where it can. */
  readonly uncertain: string | null;
  /** The program among it that variables of its environment tell what to run (make); null where none is. */
  readonly steeredBy: string | null;
}

/**
 * Assesses a whole command. `program`: what was found for `argv[0]`, null where nothing was or nothing was sought.
 * `knowledge`: the built-in table unless given. `lookUp`: what paths of commands inside lead to; without it such are
 * uncertain.
 */
export function assessCommand(
  command: Pick<SpawnCapability<unknown>, "argv" | "scripts">,
  program: Program | null,
  knowledge: CommandKnowledge = builtInKnowledge,
  lookUp: LookUp = () => undefined,
): CommandAssessment {
  const { argv, scripts = [] } = command;
  const names = baseNames(argv, program);
  const trustedName = trusted(argv, program);
  return assess(argv, { names, trustedName, scripts, knowledge, lookUp, depth: 0 });
}

/** What lies at the path of a command that another starts; null for nothing, undefined where nobody has looked. */
export type LookUp = (path: string) => Program | null | undefined;

interface Assessing {
  readonly names: readonly string[];
  readonly trustedName: boolean;
  readonly scripts: readonly string[];
  readonly knowledge: CommandKnowledge;
  readonly lookUp: LookUp;
  readonly depth: number;
}

function assess(
  argv: readonly string[],
  { names, trustedName, scripts, knowledge, lookUp, depth }: Assessing,
): CommandAssessment {
  // A program that only bears a harmless name (`./ls`) is not known to be harmless.
  let own: Assessed = { risk: trustedName ? "safe" : "moderate", because: "" };
  let uncertain: string | null = null;
  let steeredBy: string | null = null;
  const inner: (readonly string[])[] = [];
  const below: Assessed[] = [];
  const heavier = (one: Assessed) => {
    own = heaviest([own, one]);
  };
  for (const name of names) {
    const spec = knowledge(name);
    if (isUnderstood(spec, argv, scripts)) continue;
    const wrapped = unwrap(spec, argv, scripts);
    // Below another it may start elsewhere.
    const installed = depth === 0 ? installedPath(spec, wrapped.own) : null;
    const found = installed === null ? null : lookUp(installed) ?? null;
    heavier(inspectArguments(name, spec, wrapped.own, found !== null));
    if (spec?.assignments === true) steeredBy = name;
    const [module, ...rest] = spec === null ? [] : moduleWords(spec, argv);
    // `python3 -m pytest` is pytest.
    if (module !== undefined) {
      const known = knowledge(module) ?? knowledge(module.split(".")[0] ?? "");
      heavier(inspectArguments(module, known, [module, ...rest]));
    }
    uncertain ??= wrapped.uncertain;
    const written = wrapped.inner.length;
    const within = commandsIn(spec, wrapped.own);
    if (within === null) uncertain ??= `${name} is given more to start than can be looked through`;
    for (const [index, started] of [...wrapped.inner, ...within ?? []].entries()) {
      if (depth >= MAX_DEPTH) {
        uncertain ??= `more than ${MAX_DEPTH} commands start each other`;
        break;
      }
      if (started[0] === OPEN_COMMAND) {
        uncertain ??= `${name} would start a program whose name is known only when it runs`;
        continue;
      }
      const startedName = baseName(started[0] ?? "");
      const startedSpec = knowledge(startedName);
      const path = index < written && started[0]?.includes("/") === true ? started[0] : null;
      const found = path === null ? null : lookUp(path);
      if (found === undefined) {
        uncertain ??=
          "what lies at the path of a command that is started by another was not looked up";
      }
      const start = assess(started, {
        names: found === null || found === undefined ? [startedName] : baseNames(started, found),
        // What bears a name of the system in another folder is not known to be it.
        trustedName: path === null ||
          (found !== null && found !== undefined && trusted(started, found)),
        scripts,
        knowledge,
        lookUp,
        depth: depth + 1,
      });
      inner.push(started, ...start.inner);
      below.push(...start.risks);
      steeredBy ??= start.steeredBy;
      // The line of a shell in an argument was looked through for what it starts; its risk is that of the option.
      const inText = index >= written;
      const looked = inText && hasScript(started);
      if (inText && isOpenCommand(started)) {
        uncertain ??= `${name} would start a program whose name is known only when it runs`;
      }
      if (!looked) uncertain ??= start.uncertain;
      if (index < written && (wrapped.adds || wrapped.stands !== null)) {
        uncertain ??= reworded(startedName, startedSpec, started, wrapped);
      }
    }
  }
  const risks = [own, ...below];
  return { ...heaviest(risks), inner, risks, uncertain, steeredBy };
}

/** The riskiest, the first among equals; of none at all, harmless. */
export function heaviest(all: readonly Assessed[]): Assessed {
  let most: Assessed = all[0] ?? { risk: "safe", because: "" };
  for (const one of all) {
    if (RISKS.indexOf(one.risk) > RISKS.indexOf(most.risk)) most = one;
  }
  return { risk: most.risk, because: most.because };
}

/**
 * Why words that are put in at run time may change what is started: they may be options, where it has options that
 * run something; or code.
 */
function reworded(
  name: string,
  spec: ProgramSpec | null,
  started: readonly string[],
  { adds, stands }: Pick<Unwrapped, "adds" | "stands">,
): string | null {
  const steered = spec === null || spec.runs !== undefined || spec.before.bySpelling.size > 0 ||
    spec.inspect === "awk" || spec.inspect === "sed" || spec.wraps !== undefined ||
    spec.options.risky.some(([, option]) => runsSomething(option));
  if (adds) {
    // What follows `--` is no option.
    const guarded = started.includes("--") && spec?.wraps === undefined;
    return steered && !guarded
      ? `${name} may take what is added to it for options that run something; end its own words with --`
      : null;
  }
  const embedded = stands !== null && spec?.runs !== undefined &&
    started.some((word) => word !== stands.word && word.includes(stands.word));
  return embedded ? `${name} may take what is put into its words for code` : null;
}

/** Programs that act as the name they are started by: busybox(1), toybox, uutils' and GNU's single-binary coreutils. */
const MULTI_CALL: ReadonlySet<string> = new Set(["busybox", "toybox", "coreutils", "uutils"]);

/** The names a command goes by: as written, as it is started, and as its file is called behind all links. */
export function baseNames(argv: readonly string[], program: Program | null): readonly string[] {
  const written = baseName(argv[0] ?? "");
  if (program === null) return [written];
  const started = baseName(program.start);
  const file = baseName(program.path);
  if (written === started && started === file) return [written];
  const applet = MULTI_CALL.has(file) && !MULTI_CALL.has(started);
  return [...new Set([written, started, ...(applet ? [] : [file])])];
}

/** Whether the name is worth something: the search path leads from it to this program. */
function trusted(argv: readonly string[], program: Program | null): boolean {
  if (program === null) return true;
  return baseNames(argv, program).some((name) => program.names.includes(name));
}
