/** What a manifest that holds may still not mean: told by `plugin check`, never a reason to refuse it. */

import { RISKS } from "../core/tool.ts";
import { assessCommand } from "../policy/command_risk.ts";
import { literalText } from "./_word.ts";
import { isGroup, type PluginManifest, type Word } from "./manifest.ts";

/** One thing worth a look. */
export interface PluginWarning {
  readonly key: string;
  readonly message: string;
}

/** What stands for a value that is not known. */
const ANY_VALUE = "value";

export function reviewManifest(manifest: PluginManifest): readonly PluginWarning[] {
  return [...reviewRisk(manifest), ...reviewProgram(manifest), ...reviewWords(manifest)];
}

/** The command as it comes with every group. */
function fullCommand({ command }: PluginManifest): readonly string[] {
  const words = command.flatMap((part) => isGroup(part) ? part.words : [part]);
  return words.map((word) =>
    word.map((piece) => typeof piece === "string" ? piece : ANY_VALUE).join("")
  );
}

function reviewRisk(manifest: PluginManifest): readonly PluginWarning[] {
  const argv = fullCommand(manifest);
  const { risk, because, uncertain } = assessCommand({ argv }, null);
  if (uncertain !== null) {
    return [{
      key: "command",
      message: `it cannot be said what this would run (${uncertain}): calls of it will be refused`,
    }];
  }
  if (RISKS.indexOf(risk) <= RISKS.indexOf(manifest.risk)) return [];
  return [{
    key: "risk",
    message: `the command itself is ${risk}${because === "" ? "" : ` (${because})`}, ` +
      `which counts, whatever stands here; models are told ${manifest.risk}`,
  }];
}

function reviewProgram({ command }: PluginManifest): readonly PluginWarning[] {
  const [program] = command;
  const name = program === undefined || isGroup(program) ? "" : literalText(program) ?? "";
  if (!name.includes("/") || name.startsWith("/")) return [];
  return [{
    key: "command[0]",
    message: "the program lies in the workspace: whoever may write there decides what it does",
  }];
}

/** Words that may begin with a dash on purpose, which deserves a second look where no `--` guards them. */
function reviewWords({ command }: PluginManifest): readonly PluginWarning[] {
  return command.flatMap((part, index) => {
    const words: readonly Word[] = isGroup(part) ? part.words : [part];
    return words.flatMap((word, inner) => {
      const [first] = word;
      if (first === undefined || typeof first === "string" || !first.dash) return [];
      return [{
        key: isGroup(part) ? `command[${index}].words[${inner}]` : `command[${index}]`,
        message: `${first.parameter} may be any option of the program here`,
      }];
    });
  });
}
