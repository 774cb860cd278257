/** Completion for zsh: sourced, or as `_toolgate` in a folder of `fpath`. */

import { shellWord } from "../reference/call_line.ts";
import { type Entry, lookupOf, valueFlags } from "./_lookup.ts";
import type { Term, Vocabulary } from "./_vocabulary.ts";

/** The script for zsh. */
export function toZsh(vocabulary: Vocabulary): string {
  return `#compdef toolgate
# Completion of toolgate for zsh: source <(toolgate completions zsh), behind compinit; or this file as _toolgate in fpath.

# Sets offer to what can stand in a place, each with a word on it.
_toolgate_lookup() {
  offer=()
  case $1 in
${lookupOf(vocabulary).map(arm).join("\n")}
  esac
}

_toolgate() {
  local -a offer places used
  local current=$PREFIX behind= i
  for ((i = 2; i < CURRENT; i++)); do
    case $words[i] in
      (${valueFlags(vocabulary).join("|")}) ((i++)) ;;
      (-*) ;;
      (*) places+=("$words[i]") ;;
    esac
  done
  if ((i > CURRENT)); then
    _toolgate_lookup "value $words[CURRENT-1]"
  elif [[ $current == --*=* ]]; then
    behind='*='
    _toolgate_lookup "value \${current%%=*}"
  elif [[ $current == -* ]]; then
    _toolgate_lookup "flags\${places[1]:+ $places[1]}"
  elif (($#places == 0)); then
    _toolgate_lookup commands
  else
    used=("\${(@)places[2,-1]}")
    _toolgate_lookup "actions $places[1]"
    if (($#offer == 0)); then
      _toolgate_lookup "operand $places[1]"
    elif (($#used > 0)); then
      _toolgate_lookup "operand $places[1] $used[1]"
      used=("\${(@)used[2,-1]}")
    fi
    if [[ $offer[1] == @call ]]; then
      if (($#used == 0)); then
        offer=(@tool)
      elif [[ $current == *=* ]]; then
        behind='*='
        _toolgate_lookup "value $used[1] \${current%%=*}"
      else
        _toolgate_lookup "arguments $used[1]"
        _describe -t arguments argument offer -S ''
        return
      fi
    elif (($#used > 0)) && [[ $offer[1] != @file ]]; then
      offer=()
    fi
  fi
  [[ $offer[1] == @tool ]] && _toolgate_lookup tools
  [[ -n $behind ]] && compset -P 1 $behind
  case $offer[1] in
    ('') return 1 ;;
    (@file) _files ;;
    (@directory) _files -/ ;;
    (*) _describe -t words word offer ;;
  esac
}

if [[ $funcstack[1] == _toolgate ]]; then
  _toolgate "$@"
else
  compdef _toolgate toolgate
fi`;
}

function arm({ questions, offers }: Entry): string {
  const asked = questions.map((question) => `'${question}'`).join("|");
  return `    (${asked}) offer=(${offers.map(described).join(" ")}) ;;`;
}

/** `word:help`, as `_describe` reads it. */
function described({ word, help }: Term): string {
  return help === "" ? shellWord(word) : shellWord(`${word}:${help}`);
}
