/** Chromium as what drives it starts it: puppeteer and playwright themselves are in the everyday lines of the benchmark. */

import type { NamedProgram } from "./_named_programs.ts";

/** Without its own sandbox: that takes namespaces, of which programs have none. */
export const BROWSERS: readonly NamedProgram[] = [
  {
    name: "a browser, as puppeteer and playwright launch it",
    needs: ["python3", "/usr/lib/chromium/chromium"],
    files: {
      "a.html": "<title>t</title><p id=x></p><script>x.textContent = 6 * 7</script>\n",
      "launch.py": `import os, subprocess
words = ["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", "--user-data-dir=" + os.environ["TMPDIR"] + "/p"]
ran = subprocess.run(["/usr/lib/chromium/chromium", *words, "file://" + os.path.abspath("a.html")], capture_output=True, timeout=60)
print(ran.returncode, b'<p id="x">42</p>' in ran.stdout)
`,
    },
    command: "python3 launch.py",
    said: "0 True",
  },
  {
    name: "a browser by its pipe, with shared memory and a page of the call's own",
    needs: ["node", "/usr/lib/chromium/chromium"],
    files: {
      "launch.mjs":
        `import { spawn } from "node:child_process"; import fs from "node:fs"; import http from "node:http";
const PAGE = "<title>t</title><script>localStorage.a = 6 * 7; document.title = localStorage.a</script>";
const server = http.createServer((_, response) => response.end(PAGE));
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const url = "http://127.0.0.1:" + server.address().port;
const words = ["--headless", "--no-sandbox", "--remote-debugging-pipe", "--user-data-dir=profile"];
const stdio = ["ignore", "ignore", "ignore", "pipe", "pipe"];
const browser = spawn("/usr/lib/chromium/chromium", words, { stdio });
const ended = new Promise((resolve) => browser.on("exit", resolve));
const asked = new Map();
let next = 0, kept = "";
const ask = (method, params = {}, sessionId = undefined) => new Promise((resolve) => {
  asked.set(++next, resolve);
  browser.stdio[3].write(JSON.stringify({ id: next, method, params, sessionId }) + "\\0");
});
browser.stdio[4].on("data", (part) => {
  const texts = (kept + part).split("\\0");
  kept = texts.pop();
  for (const { id, result } of texts.map((text) => JSON.parse(text))) asked.get(id)?.(result);
});
const { targetId } = await ask("Target.createTarget", { url });
const { sessionId } = await ask("Target.attachToTarget", { targetId, flatten: true });
const title = async () => (await ask("Runtime.evaluate", { expression: "document.title" }, sessionId)).result.value;
while (await title() !== "42") await new Promise((resolve) => setTimeout(resolve, 20));
const { data } = await ask("Page.captureScreenshot", {}, sessionId);
console.log(await title(), data.length > 500, fs.lstatSync("profile/SingletonLock").isSymbolicLink());
ask("Browser.close");
console.log(await ended);
server.close();
`,
    },
    command: "node launch.mjs",
    said: "42 true true\n0",
  },
];
