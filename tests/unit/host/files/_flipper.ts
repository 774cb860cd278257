/**
 * A program that swaps, as fast as it can, a file for a link and a directory for a link, until its input ends:
 * what somebody does who wants a path judged in one state and used in the other.
 */

const [root = "", outside = ""] = Deno.args;

function swap(first: string, second: string): void {
  try {
    Deno.renameSync(first, `${first}.away`);
    Deno.renameSync(second, first);
    Deno.renameSync(`${first}.away`, second);
  } catch {
    // A write of the other side came in between: next time.
    for (const [from, to] of [[`${first}.away`, first], [`${first}.away`, second]] as const) {
      try {
        Deno.lstatSync(to);
      } catch {
        try {
          Deno.renameSync(from, to);
        } catch {
          // Nothing was moved away.
        }
      }
    }
  }
}

let open = true;
Deno.stdin.read(new Uint8Array(1)).then(() => open = false);
Deno.symlinkSync(`${outside}/secret`, `${root}/file-link`);
Deno.symlinkSync(outside, `${root}/dir-link`);
console.log("flipping");
while (open) {
  for (let round = 0; round < 50; round++) {
    swap(`${root}/file`, `${root}/file-link`);
    swap(`${root}/dir`, `${root}/dir-link`);
  }
  await new Promise((resolve) => setTimeout(resolve, 0));
}
