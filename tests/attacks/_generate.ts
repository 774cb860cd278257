/** Attacks made of others: each starts a program that no rule allows, wrapped, nested, quoted and encoded at random. */

import type { Random } from "../random.ts";

/** The program, letter by letter in one of the ways that shells take for the same. */
function disguised(name: string, random: Random): string {
  const ways: readonly ((text: string) => string)[] = [
    (text) => text,
    (text) => `'${text}'`,
    (text) => `"${text}"`,
    (text) => [...text].map((letter) => random.once(2) ? `\\${letter}` : letter).join(""),
    (text) => [...text].map((letter) => random.once(2) ? `'${letter}'` : `"${letter}"`).join(""),
    (text) => `$'${[...text].map((letter) => `\\x${hex(letter)}`).join("")}'`,
    (text) => `$'${[...text].map((letter) => `\\${letter.charCodeAt(0).toString(8)}`).join("")}'`,
    (text) => `${text.slice(0, 2)}\\\n${text.slice(2)}`,
    (text) => `${text.slice(0, 1)}''${text.slice(1)}`,
    (text) => `${text.slice(0, 1)}\${EMPTY}${text.slice(1)}`,
    (text) => `$(echo ${text})`,
    (text) => `$(printf ${[...text].map((letter) => `'\\x${hex(letter)}'`).join("")})`,
    (text) => `\`echo ${text}\``,
    (text) => `\${NAME:-${text}}`,
    (text) => `/usr/bin/${text}`,
    (text) => `/usr/bin/../bin/${text}`,
    (text) => `{${text},pwned}`,
  ];
  return random.pick(ways)(name);
}

function hex(letter: string): string {
  return letter.charCodeAt(0).toString(16).padStart(2, "0");
}

const single = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const double = (text: string) => `"${text.replaceAll(/[\\"$`]/g, "\\$&")}"`;

/** Each makes of a command another that runs it. */
const AROUND: readonly ((command: string, random: Random) => string)[] = [
  (command) => command,
  (command) => `ls; ${command}`,
  (command) => `ls && ${command}`,
  (command) => `false || ${command}`,
  (command) => `ls | ${command}`,
  (command) => `${command} | cat`,
  (command) => `ls\n${command}`,
  (command) => `( ${command} )`,
  (command) => `{ ${command}; }`,
  (command) => `! ${command}`,
  (command) => `${command} > out.txt 2>&1`,
  (command) => `echo $(${command})`,
  (command) => `echo "$(${command})"`,
  (command) => `echo "\${UNSET:-$(${command})}"`,
  (command) => `X=$(${command}) ls`,
  (command) => `cat <<E\n$(${command})\nE`,
  (command) => `cat <<< "$(${command})"`,
  (command) => `cat < <(${command})`,
  (command) => `echo $(( $(${command}) + 1 ))`,
  (command) => `if true; then ${command}; fi`,
  (command) => `for x in 1; do ${command}; done`,
  (command) => `f() { ${command}; }; f`,
  (command) => `time ${command}`,
  (command) => `${command} &`,
  (command) => `coproc ${command}`,
  (command) => `trap ${single(command)} EXIT`,
  (command) => `eval ${single(command)}`,
  (command) => `eval ${double(command)}`,
  (command) => `echo ${single(command)} | sh`,
  (command) => `echo ${single(command)} | bash -s`,
  (command) => `bash <<'E'\n${command}\nE`,
  (command) => `bash <<< ${single(command)}`,
  (command) => `sh -c ${single(command)}`,
  (command) => `bash -c ${double(command)}`,
  (command) => `bash -lc ${single(command)}`,
  (command) => `timeout 5 bash -c ${single(command)}`,
  (command) => `nice sh -c ${single(command)}`,
  (command) => `env A=1 bash -c ${single(command)}`,
  (command) => `xargs -I{} sh -c ${single(command)} < names.txt`,
  (command) => `find a.txt -exec sh -c ${single(command)} \\;`,
  (command) => `echo ${single(command)} | xargs -d '\\n' -I{} sh -c {}`,
  (command) => `python3 -c ${single(`import os; os.system(${JSON.stringify(command)})`)}`,
  (command) => `awk ${single(`BEGIN{system(${JSON.stringify(command)})}`)}`,
  (command) => `git -c ${single(`alias.x=!${command}`)} x`,
  (command, random) =>
    `${"(".repeat(1 + random.below(3))}${command}${")".repeat(1 + random.below(3))}`,
  (command) => `C=${single(command)}; $C`,
  (command) => `C=${single(command)}; eval "$C"`,
  (command) => `command ${command}`,
  (command) => `exec ${command}`,
  (command) => `env ${command}`,
  (command) => `timeout 5 ${command}`,
  (command) => `nohup ${command}`,
  (command) => `A=1 ${command}`,
  (command) => `>x ${command}`,
  (command) => `find a.txt -exec ${command} \\;`,
  (command) => `xargs ${command} < names.txt`,
];

/** A line that would leave the file `pwned` behind, if anything of it ran. */
export function generateAttack(random: Random): string {
  let line = `${disguised("touch", random)} ${random.once(3) ? "'pwned'" : "pwned"}`;
  for (let depth = random.below(4); depth > 0; depth--) line = random.pick(AROUND)(line, random);
  return line;
}
