/**
 * Replaces and removes a file until its input ends, then says how often:
 *
 *     deno run -A _replacer.ts FILE LENGTH
 *
 * The file holds LENGTH times the same letter, whole at every moment that it is there.
 */

const [file = "", length = "0"] = Deno.args;
let open = true;
Deno.stdin.read(new Uint8Array(1)).then(() => open = false);
console.log("replacing");
let rounds = 0;
while (open) {
  const letter = String.fromCharCode(97 + rounds % 26);
  Deno.writeTextFileSync(`${file}.next`, letter.repeat(Number(length)));
  Deno.renameSync(`${file}.next`, file);
  if (rounds % 5 === 4) Deno.removeSync(file);
  rounds++;
  await new Promise((resolve) => setTimeout(resolve, 0));
}
console.log(rounds);
