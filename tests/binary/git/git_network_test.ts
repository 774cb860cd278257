/** git_push and git_pull with another machine: what rules open to them, by https, and nothing that a repository says. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { createAuthority } from "../../unit/host/network/_certificates.ts";
import { serveWire, type WireServer } from "../../unit/host/network/_wire.ts";
import { git, makeRepository, said } from "../../unit/tools/git/_history.ts";
import { AUTHORIZATION, type GitServer, serveGit } from "../_git_server.ts";
import { Pipe, Workspace } from "../toolgate.ts";

const RULES = `version: 1
paths: [{ allow: [read, write], match: ["**"] }]
risk: { allow: dangerous, ask: dangerous }
agents: { "*": { permissions: [all] } }
`;

interface World {
  readonly workspace: Workspace;
  /** A bare repository that the server has. */
  readonly there: string;
  readonly server: GitServer;
  /** Nobody is to come here. */
  readonly closed: WireServer;
  /** Whom git trusts, as the policy has it. */
  readonly trust: string;
  readonly address: (path?: string) => string;
}

async function inWorld(test: (world: World) => Promise<void>): Promise<void> {
  await using workspace = new Workspace({});
  const folder = `${workspace.base}/served`;
  const there = `${folder}/there.git`;
  await Deno.mkdir(folder);
  await git(folder, ["init", "-q", "--bare", "-b", "main", "there.git"]);
  await git(there, ["config", "http.receivepack", "true"]);
  const authority = await createAuthority(folder, "known");
  const known = `${workspace.outside}/ca.crt`;
  await Deno.writeTextFile(known, authority.cert);
  const server = serveGit(folder, await authority.issue("DNS:localhost"));
  const closed = serveWire(async ({ send }) => await send("HTTP/1.1 404 No\r\n\r\n"));
  const trust = `environment: { pass: [PATH], set: { GIT_SSL_CAINFO: "${known}" } }
sandbox: { system: [/usr, /lib, /lib64, /bin, /etc, "${workspace.outside}"] }
web: { authorities: ["${known}"] }
`;
  const address = (path = "/there.git") => `https://localhost:${server.port}${path}`;
  try {
    await test({ workspace, there, server, closed, trust, address });
  } finally {
    await server.close();
    await closed.close();
  }
}

/** The rule for both, with what else one says. */
function opened({ port }: GitServer, commands = "git {push,pull}"): string {
  return `network: [{ allow: ["localhost:${port}"], allow_private: true, commands: ["${commands}"] }]\n`;
}

async function cloned(root: string, address: string): Promise<void> {
  await makeRepository(root);
  await git(root, ["remote", "add", "origin", address]);
}

async function commit(at: string, name: string, text: string): Promise<string> {
  Deno.writeTextFileSync(`${at}/${name}`, text);
  await git(at, ["add", "--all"]);
  await git(at, ["commit", "-qm", `${name} ${text.trim()}`]);
  return await said(at, ["rev-parse", "HEAD"]);
}

Deno.test("git_push and git_pull: what one gives to another machine another takes from there, and previews ask nobody", async () => {
  await inWorld(async ({ workspace, there, server, trust, address }) => {
    const policy = workspace.policy(RULES + trust + opened(server));
    const [one, two] = [workspace.path("one"), workspace.path("two")];
    await cloned(one, address());
    await cloned(two, address());
    const first = await commit(one, "a", "one\n");
    const pipe = new Pipe(["--policy", policy], { cwd: workspace.root });
    const ask = async (tool: string, args: Record<string, unknown>, preview = false) => {
      const { output, error } = await pipe.ask({ id: tool, tool, args, preview });
      return { output, message: error?.message ?? "", code: error?.code ?? null };
    };
    const shown = await ask("git_push", { repository: "one" }, true);
    const created = { ref: "refs/heads/main", from: null, to: first, status: "created" };
    assertEquals(shown.output, { updates: [created], last_seen: true }, shown.message);
    assertStringIncludes(
      (await ask("git_pull", { repository: "two" }, true)).message,
      "a preview asks no other machine",
    );
    assertEquals(server.asked.length, 0);
    const pushed = await ask("git_push", { repository: "one", set_upstream: true });
    assertEquals(pushed.output, { updates: [created] }, pushed.message);
    assertEquals(await said(there, ["rev-parse", "main"]), first);
    assertEquals(await said(one, ["rev-parse", "main@{upstream}"]), first);
    const again = await ask("git_push", { repository: "one" });
    assertEquals(again.output?.updates[0].status, "up_to_date", again.message);
    // Into a repository without a commit, and then on from there.
    const got = await ask("git_pull", { repository: "two" });
    assertEquals([got.output?.to, got.output?.fast_forward], [first, true], got.message);
    assertEquals(Deno.readTextFileSync(`${two}/a`), "one\n");
    const second = await commit(two, "b", "two\n");
    const given = await ask("git_push", { repository: "two" });
    assertEquals(given.output?.updates[0].status, "updated", given.message);
    // Both have moved on.
    await commit(one, "c", "three\n");
    const behind = await ask("git_push", { repository: "one" });
    assertStringIncludes(behind.message, "commits that this one has not");
    const apart = await ask("git_pull", { repository: "one" });
    assertStringIncludes(apart.message, "no fast-forward");
    const objects = await said(one, ["count-objects", "-v"]);
    assertEquals((await ask("git_pull", { repository: "one" })).code, "GIT_ERROR");
    assertEquals(await said(one, ["count-objects", "-v"]), objects);
    const rebased = await ask("git_pull", { repository: "one", strategy: "rebase" });
    assertEquals(rebased.output?.rebased?.length, 1, rebased.message);
    assertEquals(await said(one, ["rev-parse", "HEAD~1"]), second);
    assertEquals((await ask("git_push", { repository: "one" })).code, null);
    // A clone that has not all of the history.
    const shallow = workspace.path("shallow");
    await git(workspace.root, ["clone", "-q", "--depth=1", `file://${there}`, "shallow"]);
    await git(shallow, ["remote", "set-url", "origin", address()]);
    await git(shallow, ["config", "user.name", "Ada"]);
    await git(shallow, ["config", "user.email", "ada@example.org"]);
    await commit(shallow, "g", "seven\n");
    assertEquals((await ask("git_push", { repository: "shallow" })).message, "");
    assertEquals((await ask("git_pull", { repository: "one" })).output?.files_changed, 1);
    await commit(one, "h", "eight\n");
    assertEquals((await ask("git_push", { repository: "one" })).message, "");
    assertEquals((await ask("git_pull", { repository: "shallow" })).output?.files_changed, 1);
    assertEquals(await said(shallow, ["rev-list", "--count", "HEAD"]), "3");
    await commit(two, "d", "four\n");
    const merged = await ask("git_pull", { repository: "two", strategy: "merge" });
    assertEquals([merged.output?.fast_forward, merged.output?.conflicts], [false, []]);
    const seen = await ask("git_pull", { repository: "two", strategy: "merge" }, true);
    assertEquals([seen.output?.last_seen, seen.output?.files_changed], [true, 0], seen.message);
    // Force takes away what was seen, and nothing else.
    await git(one, ["reset", "-q", "--hard", first]);
    await commit(one, "e", "five\n");
    await git(there, ["update-ref", "refs/heads/main", second]);
    const stale = await ask("git_push", { repository: "one", force: true });
    assertStringIncludes(stale.message, "last seen");
    await git(one, ["update-ref", "refs/remotes/origin/main", second]);
    const forced = await ask("git_push", { repository: "one", force: true });
    assertEquals(forced.output?.updates[0].status, "forced", forced.message);
    // What the other side does not take is told in its words.
    Deno.writeTextFileSync(`${there}/hooks/update`, "#!/bin/sh\necho 'not on a Monday'; exit 1\n", {
      mode: 0o755,
    });
    await commit(one, "f", "six\n");
    const refused = await ask("git_push", { repository: "one" });
    assertStringIncludes(refused.message, "hook declined");
    assertStringIncludes(refused.message, "not on a Monday");
    const none = await ask("git_pull", { repository: "one", branch: "nowhere" });
    assertStringIncludes(none.message, 'has no branch "nowhere"');
    await pipe.close();
    for (const at of [one, two, shallow, there]) await git(at, ["fsck", "--strict"]);
  });
});

/** Each in its own way: by a name, by what a branch follows, by all there are. */
const SPEAKING = [
  ...[["ls-remote", "origin"], ["fetch"], ["push", "origin", "main"], ["pull", "origin", "main"]],
  ...[["remote", "update"], ["remote", "show", "origin"]],
];

Deno.test("git_push and git_pull: nothing that a repository says of ways, proxies, programs and passwords is obeyed", async () => {
  await inWorld(async ({ workspace, there, server, closed, trust, address }) => {
    const lines = "commands: [{ allow: [git] }]\n";
    const rules = opened(server, "git {push,pull,fetch,ls-remote,remote}");
    const policy = workspace.policy(RULES + lines + trust + rules);
    const at = workspace.path("one");
    await cloned(at, address());
    const tip = await commit(at, "a", "one\n");
    const elsewhere = `http://127.0.0.1:${closed.port}/`;
    const marker = workspace.path("marker");
    const run = `sh -c 'touch ${marker}'`;
    const hostile = [
      ["url." + elsewhere + ".insteadOf", "https://localhost"],
      ["url." + elsewhere + ".pushInsteadOf", "https://localhost"],
      ["http.proxy", elsewhere],
      ["http.extraHeader", "X-Hostile: yes"],
      ["http.cookieFile", "/etc/passwd"],
      ["http.saveCookies", "true"],
      ["http.sslCAInfo", "/dev/null"],
      ["http." + address("/") + ".proxy", elsewhere],
      ["http.userAgent", "hostile"],
      ["remote.origin.proxy", elsewhere],
      ["remote.origin.uploadpack", run],
      ["remote.origin.receivepack", run],
      ["credential.helper", `!${run}`],
      ["core.askPass", marker],
      ["core.sshCommand", run],
      ["core.gitProxy", run],
      ["protocol.ext.allow", "always"],
      ["core.fsmonitor", run],
    ] as const;
    const pipe = new Pipe(["--policy", policy], { cwd: workspace.root });
    const line = (argv: readonly string[]) =>
      pipe.ask({ id: "line", tool: "run_command", args: { argv, cwd: "one" } });
    for (const words of [["ls-remote", "origin"], ["fetch"]]) {
      assertEquals((await line(["git", ...words])).error, null, words.join(" "));
    }
    // A line's git would go by them, so it does not begin.
    const told = server.asked.length;
    for (const [key, value] of hostile.filter(([key]) => /^(?:http|url|remote)\./.test(key))) {
      await git(at, ["config", key, value]);
      for (const words of SPEAKING) {
        const { error } = await line(["git", ...words]);
        // What another name stands for may lie in another place by then.
        assert(
          ["PATH_DENIED", "NETWORK_DENIED"].includes(error?.code ?? ""),
          `${key}: ${error?.message}`,
        );
      }
      await git(at, ["config", "--unset", key]);
    }
    assertEquals([server.asked.length, closed.connections], [told, 0]);
    // What says nothing of the way, and what only shows remotes.
    await git(at, ["config", "http.postBuffer", "1000000"]);
    assertEquals((await line(["git", "ls-remote", "origin"])).error, null);
    await git(at, ["config", "http.extraHeader", "X-Hostile: yes"]);
    assertEquals((await line(["git", "remote", "-v"])).error, null);
    // Beside a remote that is a path, and where a path stands for another machine.
    const asked = server.asked.length;
    await git(at, ["config", "remote.here.url", "."]);
    await git(at, ["config", "branch.main.remote", "here"]);
    assertEquals((await line(["git", "fetch", "--all"])).error?.code, "PATH_DENIED");
    await git(at, ["config", "--unset", "http.extraHeader"]);
    await git(at, ["config", `url.${elsewhere}.insteadOf`, "./"]);
    assertEquals((await line(["git", "fetch", "./"])).error?.code, "PATH_DENIED");
    await git(at, ["config", "--remove-section", `url.${elsewhere}`]);
    assertEquals(server.asked.length, asked);
    await git(at, ["config", "--remove-section", "remote.here"]);
    await git(at, ["config", "branch.main.remote", "origin"]);
    for (const [key, value] of hostile) await git(at, ["config", key, value]);
    // By itself git goes there.
    await git(at, ["ls-remote", "origin"], { good: [128] });
    const before = closed.connections;
    assert(before > 0);
    // One by one the worst of them too: what one breaks may hide what another does.
    await git(at, ["config", "remote.origin.vcs", "evil"]);
    const ask = (tool: string) => pipe.ask({ id: tool, tool, args: { repository: "one" } });
    const pushed = await ask("git_push");
    assertEquals(pushed.output?.updates[0].to, tip, pushed.error?.message);
    const pulled = await ask("git_pull");
    assertEquals(pulled.output?.to, tip, pulled.error?.message);
    assertEquals(await said(there, ["rev-parse", "main"]), tip);
    assertEquals(closed.connections, before);
    const heads = server.asked.map(({ headers }) => headers);
    assert(heads.every((headers) => headers.get("x-hostile") === null));
    assert(heads.every((headers) => headers.get("user-agent")?.startsWith("git/") === true));
    assertEquals([...Deno.readDirSync(workspace.root)].map(({ name }) => name), ["one"]);
    await pipe.close();
  });
});

Deno.test("git_push and git_pull: what no rule opens is refused by name, with what would be allowed", async () => {
  await inWorld(async ({ workspace, server, closed, trust, address }) => {
    const at = workspace.path("one");
    await cloned(at, address());
    await commit(at, "a", "one\n");
    const here = `localhost:${server.port}`;
    const other = `https://localhost:${closed.port}/there.git`;
    const pull = "git_pull";
    type Row = readonly [tool: string, url: string, code: string, message: string];
    const policies: readonly (readonly [rules: string, rows: readonly Row[]])[] = [
      // A rule of the web's tools is none for this, nor is one for another subcommand.
      [
        `${trust}network: [{ allow: ["*"], allow_private: true }, { allow: ["*"], commands: ["git {push,fetch}"] }]\n`,
        [
          [pull, address(), "NETWORK_DENIED", "no network rule opens a host to git pull"],
          [pull, address(), "NETWORK_DENIED", `[{ allow: ["${here}"], commands: ["git pull"] }]`],
          ["git_push", address(), "NETWORK_DENIED", "allow_private"],
        ],
      ],
      [
        `${trust}${opened(server)}git: { protocols: [https, ssh] }\n`,
        [
          [pull, other, "NETWORK_DENIED", `allowed hosts: ${here}`],
          ["git_push", other, "NETWORK_DENIED", `allowed hosts: ${here}`],
          [pull, address().replace("https", "http"), "NETWORK_DENIED", "names https, ssh"],
          [pull, "ssh://localhost/there.git", "NETWORK_DENIED", "no proxy here speaks"],
          [pull, "git@localhost:there.git", "NETWORK_DENIED", "no proxy here speaks"],
          [pull, "ext::sh -c true", "NETWORK_DENIED", "ext::"],
          [pull, address().replace("//", "//a:secret@"), "GIT_ERROR", "holds a password"],
          [pull, "https://", "GIT_ERROR", "is none"],
          [pull, address("/no.git"), "GIT_ERROR", "not found"],
        ],
      ],
      [
        `${opened(server)}sandbox: { kernel: "off" }\n`,
        [[pull, address(), "NATIVE_DENIED", "nothing holds it"]],
      ],
    ];
    for (const [index, [rules, rows]] of policies.entries()) {
      const policy = workspace.policy(RULES + rules, `p${index}.yaml`);
      const pipe = new Pipe(["--policy", policy], { cwd: workspace.root });
      for (const [tool, url, code, message] of rows) {
        await git(at, ["config", "remote.origin.url", url]);
        const { error } = await pipe.ask({ id: 1, tool, args: { repository: "one" } });
        assertEquals(error?.code, code, `${rules} ${tool} ${url}: ${error?.message}`);
        assertStringIncludes(error?.message ?? "", message);
        assert(!error?.message.includes("secret@"));
      }
      await pipe.close();
    }
    assertEquals(server.asked.map(({ path }) => path), ["GET /no.git/info/refs"]);
    assertEquals(closed.connections, 0);
  });
});

Deno.test("git_push and git_pull: a key of the policy is added on the way, and nobody sees it", async () => {
  await inWorld(async ({ workspace, there, server, trust, address }) => {
    const secrets =
      `secrets: [{ host: "localhost:${server.port}", header: Authorization, prefix: "Basic ", value: { env: GIT_KEY }, ` +
      `variable: GIT_KEY_URL, commands: ["git push"] }]\n`;
    const policy = workspace.policy(RULES + trust + opened(server) + secrets);
    const at = workspace.path("one");
    await cloned(at, address("/locked/there.git"));
    const tip = await commit(at, "a", "one\n");
    const pipe = new Pipe(["--policy", policy], {
      cwd: workspace.root,
      env: { GIT_KEY: AUTHORIZATION.slice("Basic ".length) },
    });
    const ask = (tool: string) => pipe.ask({ id: tool, tool, args: { repository: "one" } });
    const pushed = await ask("git_push");
    assertEquals(pushed.output?.updates[0].to, tip, pushed.error?.message);
    assertEquals(await said(there, ["rev-parse", "main"]), tip);
    // It is for pushing alone.
    const pulled = await ask("git_pull");
    assertEquals(pulled.error?.code, "GIT_ERROR");
    assertStringIncludes(pulled.error?.message ?? "", "secrets of the policy");
    await pipe.close();
  });
});

Deno.test("git_push and git_pull: by http where git.protocols names it, and a redirect is judged as a host is", async () => {
  await inWorld(async ({ workspace, there, closed }) => {
    const plain = serveGit(there.replace(/\/[^/]*$/, ""), null);
    const leads = serveWire(async ({ send }) => {
      const place = `http://localhost:${closed.port}/there.git/info/refs?service=git-upload-pack`;
      await send(`HTTP/1.1 302 Found\r\nLocation: ${place}\r\nContent-Length: 0\r\n\r\n`);
    });
    const hosts = [plain, leads].map(({ port }) => `"localhost:${port}"`).join(", ");
    const policy = workspace.policy(
      `${RULES}git: { protocols: [http] }\nenvironment: { pass: [PATH] }\n` +
        `network: [{ allow: [${hosts}], allow_private: true, commands: ["git *"] }]\n`,
    );
    const at = workspace.path("one");
    await cloned(at, `http://localhost:${plain.port}/there.git`);
    const tip = await commit(at, "a", "one\n");
    const pipe = new Pipe(["--policy", policy], { cwd: workspace.root });
    const ask = (tool: string) => pipe.ask({ id: tool, tool, args: { repository: "one" } });
    assertEquals((await ask("git_push")).output?.updates[0].to, tip);
    assertEquals((await ask("git_pull")).output?.to, tip);
    await git(at, ["config", "remote.origin.url", `http://localhost:${leads.port}/there.git`]);
    const led = await ask("git_pull");
    assertEquals(led.error?.code, "NETWORK_DENIED", led.error?.message);
    assertStringIncludes(led.error?.message ?? "", `localhost:${closed.port}`);
    assertEquals([leads.connections, closed.connections], [1, 0]);
    await pipe.close();
    await Promise.all([plain.close(), leads.close()]);
  });
});
