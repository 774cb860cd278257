/** Completion for fish, from 3.1 on. */

import { type Entry, lookupOf, valueFlags } from "./_lookup.ts";
import type { Term, Values, Vocabulary } from "./_vocabulary.ts";

/** The script for fish. */
export function toFish(vocabulary: Vocabulary): string {
  return `# Completion of toolgate for fish: toolgate completions fish | source

# Prints what can stand in a place, each with a word on it behind a tab.
function __toolgate_lookup
    switch $argv[1]
${lookupOf(vocabulary).filter(({ questions }) => questions.some(isAsked)).map(arm).join("\n")}
    end
end

# The words before the cursor that are neither flags nor their values.
function __toolgate_places
    set -l value no
    for word in (commandline -opc)[2..-1]
        if test $value = yes
            set value no
            continue
        end
        switch $word
            case ${valueFlags(vocabulary).join(" ")}
                set value yes
            case '-*'
            case '*'
                printf '%s\\n' $word
        end
    end
end

function __toolgate_command_is
    set -l places (__toolgate_places)
    contains -- "$places[1]" $argv
end

function __toolgate_words
    set -l places (__toolgate_places)
    set -l current (commandline -ct)
    if not set -q places[1]
        __toolgate_lookup commands
        return
    end
    set -l used $places[2..-1]
    set -l offer (__toolgate_lookup "actions $places[1]")
    if not set -q offer[1]
        set offer (__toolgate_lookup "operand $places[1]")
    else if set -q used[1]
        set offer (__toolgate_lookup "operand $places[1] $used[1]")
        set -e used[1]
    end
    switch "$offer[1]"
        case @call
            if not set -q used[1]
                __toolgate_lookup tools
            else if string match -q -- '*=*' $current
                __toolgate_value $used[1] (string split -m 1 -- = $current)
            else
                __toolgate_lookup "arguments $used[1]"
            end
        case @tool
            set -q used[1]; or __toolgate_lookup tools
        case @file
            __fish_complete_path $current
        case '*'
            set -q used[1]; or printf '%s\\n' $offer
    end
end

# What can stand behind KEY= of a tool's argument.
function __toolgate_value
    set -l offer (__toolgate_lookup "value $argv[1] $argv[2]")
    if test "$offer[1]" = @file
        set offer (__fish_complete_path "$argv[3]")
    end
    for one in $offer
        printf '%s=%s\\n' $argv[2] $one
    end
end

complete -c toolgate -f
complete -c toolgate -a '(__toolgate_words)'
${vocabulary.flags.map(flagLine).join("\n")}`;
}

/** Values of flags are completed by fish itself. */
function isAsked(question: string): boolean {
  return !question.startsWith("flags") && !question.startsWith("value --");
}

function arm({ questions, offers }: Entry): string {
  return [
    `        case ${questions.filter(isAsked).map(quoted).join(" ")}`,
    `            printf '%s\\n' ${offers.map(described).join(" ")}`,
  ].join("\n");
}

function described({ word, help }: Term): string {
  return help === "" ? quoted(word) : quoted(word) + "\\t" + quoted(help);
}

function flagLine({ word, help, values, commands }: Vocabulary["flags"][number]): string {
  const when = commands === null
    ? ""
    : ` -n ${quoted(`__toolgate_command_is ${commands.join(" ")}`)}`;
  return `complete -c toolgate${when} -l ${word}${valueOption(values)} -d ${quoted(help)}`;
}

function valueOption(values: Values | null): string {
  switch (values?.kind) {
    case undefined:
      return "";
    case "file":
      return " -r -F";
    case "directory":
      return " -x -a '(__fish_complete_directories)'";
    case "tool":
      return " -x -a '(__toolgate_lookup tools)'";
    case "words":
      return ` -x -a ${quoted(values.words.join(" "))}`;
    case "free":
      return " -x";
  }
}

/** In single quotes fish reads a backslash before a quote or a backslash, and nothing else. */
function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, "\\$&")}'`;
}
