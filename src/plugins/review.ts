/** What a manifest that holds may still not mean: told by `plugin check`, never a reason to refuse it. */

import { RISKS } from "../core/tool.ts";
import { assessCommand } from "../programs/risk.ts";
import { literalText } from "./_word.ts";
import {
  type CommandManifest,
  isGroup,
  isModule,
  type ModuleManifest,
  type PluginManifest,
  type Word,
} from "./manifest.ts";

/** One thing worth a look. */
export interface PluginWarning {
  readonly key: string;
  readonly message: string;
}

/** What stands for a value that is not known. */
const ANY_VALUE = "value";

/** What is not wrong and yet likely not meant; none where all is well. */
export function reviewManifest(manifest: PluginManifest): readonly PluginWarning[] {
  return isModule(manifest)
    ? reviewNeeds(manifest)
    : [...reviewRisk(manifest), ...reviewProgram(manifest), ...reviewWords(manifest)];
}

/** What a caller may choose freely, and what weighs more than the manifest says. */
function reviewNeeds({ needs, risk }: ModuleManifest): readonly PluginWarning[] {
  const open = (["read", "write"] as const).flatMap((access) =>
    needs[access].flatMap(({ path, tree }, index): PluginWarning[] => {
      const [first] = path;
      return !tree || (first !== "." && typeof first === "string") ? [] : [{
        key: `needs.${access}[${index}]`,
        message: "is as much of the workspace as the policy allows the caller; name a folder",
      }];
    })
  );
  const writes = needs.write.length > 0 && risk === "safe";
  return writes
    ? [...open, {
      key: "risk",
      message: "a call that writes counts as moderate, whatever stands here; models are told safe",
    }]
    : open;
}

/** The command as it comes with every group. */
function fullCommand({ command }: CommandManifest): readonly string[] {
  const words = command.flatMap((part) => isGroup(part) ? part.words : [part]);
  return words.map((word) =>
    word.map((piece) => typeof piece === "string" ? piece : ANY_VALUE).join("")
  );
}

function reviewRisk(manifest: CommandManifest): readonly PluginWarning[] {
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

function reviewProgram({ command }: CommandManifest): readonly PluginWarning[] {
  const [program] = command;
  const name = program === undefined || isGroup(program) ? "" : literalText(program) ?? "";
  if (!name.includes("/") || name.startsWith("/")) return [];
  return [{
    key: "command[0]",
    message: "the program lies in the workspace: whoever may write there decides what it does",
  }];
}

/** Words that may begin with a dash on purpose, which deserves a second look where no `--` guards them. */
function reviewWords({ command }: CommandManifest): readonly PluginWarning[] {
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
