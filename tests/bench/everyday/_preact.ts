/** A page in a browser: preact's own build, and tests that start Chromium by puppeteer and by playwright. */

import { type EverydayProject, TWO_COMMITS } from "./_project.ts";

const PACKAGE = {
  name: "everyday-preact",
  version: "1.0.0",
  private: true,
  scripts: { "test": "node --test --test-reporter=tap e2e", "start": "node server.js" },
  dependencies: { preact: "10.9.0" },
  devDependencies: { "playwright-core": "1.56.1", "puppeteer-core": "24.8.2" },
};

/** What each test and script begins with. Chromium's own sandbox takes namespaces, which programs have none of. */
const BROWSER = `const { serve } = require("../server.js");
const executablePath = "/usr/lib/chromium/chromium";
const puppeteer = { executablePath, args: ["--no-sandbox"] };
`;

export const PREACT: EverydayProject = {
  name: "preact",
  npm: { ...PACKAGE.dependencies, ...PACKAGE.devDependencies },
  debian: { "/usr/lib/chromium/chromium": "chromium" },
  sources: [["preact/dist", "public/preact"]],
  files: {
    "package.json": `${JSON.stringify(PACKAGE, null, 2)}\n`,
    ".gitignore": "node_modules\nprofile\nshots\n.env\n",
    "NOTES": "An agent works here.\n",
    "server.js": `const { createServer } = require("node:http");
const { readFile } = require("node:fs/promises");
const path = require("node:path");
const TYPES = { ".html": "text/html", ".js": "text/javascript" };
exports.serve = async (port = 0) => {
  const server = createServer(async (request, response) => {
    const name = request.url === "/" ? "/index.html" : request.url;
    try {
      const text = await readFile(path.join(__dirname, "public", name));
      response.setHeader("content-type", TYPES[path.extname(name)] ?? "text/plain");
      response.end(text);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
  return { url: \`http://127.0.0.1:\${server.address().port}/\`, close: () => server.close() };
};
if (require.main === module) exports.serve(3988);
`,
    "public/index.html": `<!doctype html>
<title>Counter</title>
<div id="app"></div>
<script type="module">
import { h, render, Component } from "/preact/preact.module.js";
class Counter extends Component {
  state = { count: Number(localStorage.count ?? 0) };
  add = () => {
    localStorage.count = this.state.count + 1;
    this.setState({ count: this.state.count + 1 });
  };
  render = () => h("button", { onClick: this.add }, "count " + this.state.count);
}
render(h(Counter), document.getElementById("app"));
</script>
`,
    "public/plain.html": "<!doctype html>\n<title>Plain</title>\n<h1>Plain</h1>\n",
    "e2e/puppeteer.test.js": `${BROWSER}const assert = require("node:assert");
const { test } = require("node:test");
for (const pipe of [false, true]) {
  test("counts, pipe: " + pipe, async () => {
    const served = await serve();
    const browser = await require("puppeteer-core").launch({ ...puppeteer, pipe });
    const page = await browser.newPage();
    await page.goto(served.url);
    await page.click("button");
    assert.equal(await page.$eval("button", (button) => button.textContent), "count 1");
    await browser.close();
    served.close();
  });
}
`,
    "e2e/playwright.test.js": `${BROWSER}const assert = require("node:assert");
const { test } = require("node:test");
test("counts", async () => {
  const served = await serve();
  const browser = await require("playwright-core").chromium.launch({ executablePath });
  const page = await browser.newPage();
  await page.goto(served.url);
  await page.click("button");
  assert.equal(await page.textContent("button"), "count 1");
  await browser.close();
  served.close();
});
`,
    "tools/pictures.js": `${BROWSER}const { mkdirSync, statSync } = require("node:fs");
(async () => {
  const served = await serve();
  const browser = await require("puppeteer-core").launch(puppeteer);
  const page = await browser.newPage();
  await page.goto(served.url);
  mkdirSync("shots", { recursive: true });
  await page.screenshot({ path: "shots/page.png" });
  await page.pdf({ path: "shots/page.pdf" });
  console.log(statSync("shots/page.png").size > 500, statSync("shots/page.pdf").size > 500);
  await browser.close();
  served.close();
})();
`,
    "tools/file.js": `${BROWSER}const path = require("node:path");
(async () => {
  const browser = await require("playwright-core").chromium.launch({ executablePath });
  const page = await browser.newPage();
  await page.goto("file://" + path.resolve(process.argv[2]));
  console.log(await page.title());
  await browser.close();
})();
`,
    "tools/profile.js": `${BROWSER}const { rmSync } = require("node:fs");
(async () => {
  const served = await serve();
  const { chromium } = require("playwright-core");
  for (let turn = 0; turn < 2; turn++) {
    const context = await chromium.launchPersistentContext("profile", { executablePath });
    const page = await context.newPage();
    await page.goto(served.url);
    await page.click("button");
    console.log(await page.textContent("button"));
    await context.close();
  }
  served.close();
  rmSync("profile", { recursive: true });
})();
`,
    "tools/shared.js": `${BROWSER}(async () => {
  const served = await serve();
  // Shared memory where programs have it, and who comes to the browser over its socket.
  const browser = await require("puppeteer-core").launch({
    ...puppeteer,
    ignoreDefaultArgs: ["--disable-dev-shm-usage"],
  });
  const other = await require("playwright-core").chromium.connectOverCDP(browser.wsEndpoint());
  const page = await other.contexts()[0].newPage();
  await page.goto(served.url);
  console.log(await page.title());
  await browser.close();
  served.close();
})();
`,
  },
  history: TWO_COMMITS,
};
