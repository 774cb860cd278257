/** Completion for bash, from 4.2 on. */

import { type Entry, lookupOf, valueFlags } from "./_lookup.ts";
import type { Vocabulary } from "./_vocabulary.ts";

/** The script for bash. */
export function toBash(vocabulary: Vocabulary): string {
  return `# Completion of toolgate for bash: source <(toolgate completions bash)

# Sets offer to what can stand in a place.
_toolgate_lookup() {
  offer=()
  case $1 in
${lookupOf(vocabulary).map(arm).join("\n")}
  esac
}

_toolgate() {
  COMPREPLY=()
  local offer=() line=() rest=\${COMP_LINE:0:COMP_POINT} piece blank i last
  # bash parts words at = and : as well; what stands together on the line is put together again.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    blank=\${rest%%[![:space:]]*}
    rest=\${rest#"$blank"}
    piece=\${COMP_WORDS[i]}
    ((i == COMP_CWORD)) && piece=$rest
    last=$((\${#line[@]} - 1))
    if [[ -n $blank || $last -lt 0 ]]; then line+=("$piece"); else line[last]+=$piece; fi
    rest=\${rest#"$piece"}
  done
  last=$((\${#line[@]} - 1))
  local current=\${line[last]} places=() prefix=
  for ((i = 1; i < last; i++)); do
    case \${line[i]} in
      ${valueFlags(vocabulary).join(" | ")}) ((i++)) ;;
      -*) ;;
      *) places+=("\${line[i]}") ;;
    esac
  done
  if ((i > last)); then
    _toolgate_lookup "value \${line[last - 1]}"
  elif [[ $current == --*=* ]]; then
    prefix=\${current%%=*}=
    _toolgate_lookup "value \${current%%=*}"
  elif [[ $current == -* ]]; then
    _toolgate_lookup "flags\${places[0]:+ \${places[0]}}"
  elif ((\${#places[@]} == 0)); then
    _toolgate_lookup commands
  else
    local command=\${places[0]} used=("\${places[@]:1}")
    _toolgate_lookup "actions $command"
    if ((\${#offer[@]} == 0)); then
      _toolgate_lookup "operand $command"
    elif ((\${#used[@]} > 0)); then
      _toolgate_lookup "operand $command \${used[0]}"
      used=("\${used[@]:1}")
    fi
    if [[ \${offer[0]} == @call ]]; then
      if ((\${#used[@]} == 0)); then
        offer=(@tool)
      elif [[ $current == *=* ]]; then
        prefix=\${current%%=*}=
        _toolgate_lookup "value \${used[0]} \${current%%=*}"
      else
        _toolgate_lookup "arguments \${used[0]}"
      fi
    elif ((\${#used[@]} > 0)) && [[ \${offer[0]} != @file ]]; then
      offer=()
    fi
  fi
  [[ \${offer[0]} == @tool ]] && _toolgate_lookup tools
  local value=\${current#"$prefix"} found=()
  case \${offer[0]} in
    @file | @directory)
      # Quoted here, not by readline, which leaves $( ) in a name as it is.
      local kind=-f
      [[ \${offer[0]} == @directory ]] && kind=-d
      while IFS= read -r piece; do
        [[ -d $piece ]] && piece+=/
        printf -v piece %q "$piece"
        found+=("$piece")
      done < <(compgen "$kind" -- "\${value//\\\\/}")
      ;;
    *)
      for piece in "\${offer[@]}"; do
        [[ $piece == "\${value//\\\\/}"* ]] && found+=("\${piece// /\\\\ }")
      done
      ;;
  esac
  # What readline replaces begins behind the last character at which it parts words.
  local breaks=\${COMP_WORDBREAKS//[^=:@]/} cut=
  [[ -n $breaks ]] && cut=\${current%"\${current##*[$breaks]}"}
  for piece in "\${found[@]}"; do
    piece=$prefix$piece
    COMPREPLY+=("\${piece#"$cut"}")
  done
  [[ \${#COMPREPLY[@]} -gt 0 && \${COMPREPLY[0]} == *[=/] ]] && compopt -o nospace 2>/dev/null
  return 0
}

complete -F _toolgate toolgate`;
}

/** Nothing in the table needs more quoting than blanks do: see {@linkcode Vocabulary}. */
function arm({ questions, offers }: Entry): string {
  const asked = questions.map((question) => `'${question}'`).join(" | ");
  return `    ${asked}) offer=(${
    offers.map(({ word }) => word.includes(" ") ? `'${word}'` : word).join(" ")
  }) ;;`;
}
