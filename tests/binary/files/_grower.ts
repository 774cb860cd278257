/** Makes and removes folders with files in a folder until its input ends, then says how often. */

const [folder = ""] = Deno.args;
let open = true;
Deno.stdin.read(new Uint8Array(1)).then(() => open = false);
console.log("growing");
let rounds = 0;
while (open) {
  const deep = `${folder}/n${rounds % 7}/deep/er`;
  Deno.mkdirSync(deep, { recursive: true });
  for (let i = 0; i < 5; i++) Deno.writeTextFileSync(`${deep}/${i}.txt`, "needle\n");
  try {
    Deno.removeSync(`${folder}/n${(rounds + 3) % 7}`, { recursive: true });
  } catch {
    // It is not there now.
  }
  rounds++;
  await new Promise((resolve) => setTimeout(resolve, 0));
}
console.log(rounds);
