/** What speedscope itself makes of a profile: its importer is run in Node, without the page around it. */

/**
 * Node's words for it: `release` (the folder of speedscope's script), then the profile. Prints a row for each frame: name,
 * line, own and total weight. The importer is handed out where the script declares it; what wants a page gets nothing, and
 * the script ends with an error where it would draw one.
 */
export const SPEEDSCOPE = `
const { readFileSync, readdirSync } = require("node:fs");
const { join } = require("node:path");
const [release, file] = process.argv.slice(1);
const name = readdirSync(release).find((each) => /^speedscope-.*\\.js$/.test(each));
const source = readFileSync(join(release, name), "utf8");
const declared =
  /async function (\\w+)\\((\\w+),(\\w+)\\)\\{return\\(await \\w+\\)\\.importProfilesFromArrayBuffer\\(\\2,\\3\\)\\}/;
if (!declared.test(source)) throw new Error("a speedscope whose importer is not found");
const handed = source.replace(declared, (all, own) => "globalThis.importer=" + own + ";" + all);
const nothing = new Proxy(function () {}, {
  get: (_, key) => key === Symbol.toPrimitive ? () => "" : key === "length" ? 0 : nothing,
  apply: () => nothing,
  construct: () => nothing,
  set: () => true,
});
const page = ["window", "document", "localStorage", "HTMLElement", "location", "Image", "FontFace"];
for (const each of page) Object.defineProperty(globalThis, each, { value: nothing });
console.log = () => {};
try {
  (0, eval)(handed);
} catch { /* it draws now */ }
const bytes = readFileSync(file);
const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
globalThis.importer(file, buffer).then(({ profiles }) => {
  const rows = [];
  for (const profile of profiles) {
    profile.forEachFrame((frame) =>
      rows.push([frame.name, frame.line ?? 0, frame.getSelfWeight(), frame.getTotalWeight()])
    );
  }
  process.stdout.write(JSON.stringify(rows));
});
`;

/** Work of Node whose profile has recursion, functions without a name, and such as are the engine's own. */
export const NODE_WORK = `
function ways(left) { return left < 2 ? left : ways(left - 1) + ways(left - 2); }
function sorted() {
  const texts = Array.from({ length: 100000 }, (_, at) => (at * 7919) % 20011 + "x");
  return texts.sort().length;
}
let sum = 0;
for (let round = 0; round < 8; round++) {
  sum += ways(27) + sorted();
  JSON.parse(JSON.stringify(Array.from({ length: 50000 }, (_, at) => ({ at }))));
}
`;
