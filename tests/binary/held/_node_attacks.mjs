// A program that tries to reach out of its rules by what node has itself. Its argument says where things are; it answers
// with JSON: what it got.

import { Buffer } from "node:buffer";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import dgram from "node:dgram";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import process from "node:process";
import { Worker } from "node:worker_threads";

const { pid, span, outside, sentinel, tcp, udp, unix, word } = JSON.parse(
  process.argv[2],
);
const got = new Set();

async function attempt(name, action) {
  try {
    if (await action() !== false) got.add(name);
  } catch {
    // Refused, as it must be.
  }
}

// The threads of a process have numbers a little above its own, among which are this one's.
for (let task = pid; task < pid + span; task++) {
  if (fs.existsSync(`/proc/self/task/${task}`)) continue;
  await attempt("signal", () => process.kill(task, "SIGCONT"));
  await attempt("priority", () => os.setPriority(task, 19));
  const folder = task === pid ? `/proc/${pid}` : `/proc/${pid}/task/${task}`;
  for (const file of ["environ", "cmdline", "maps", "status", "limits"]) {
    await attempt(file, () => fs.readFileSync(`${folder}/${file}`));
  }
  await attempt("memory", () => fs.openSync(`${folder}/mem`, "r+"));
  await attempt("descriptors", () => fs.readdirSync(`${folder}/fd`));
  await attempt("place", () => fs.readdirSync(`${folder}/cwd/`));
  await attempt("root", () => fs.readFileSync(`${folder}/root${sentinel}`));
  await attempt("score", () => fs.writeFileSync(`${folder}/oom_score_adj`, "900"));
}
await attempt("list", () => fs.readdirSync("/proc").includes(String(pid)));

const ways = {
  plain: sentinel,
  dots: `../outside/sentinel.txt`,
  self: `/proc/self/root${sentinel}`,
  thread: `/proc/thread-self/cwd/../outside/sentinel.txt`,
  bytes: Buffer.from(sentinel),
};
for (const [way, path] of Object.entries(ways)) {
  await attempt(`read ${way}`, () => fs.readFileSync(path));
  await attempt(`write ${way}`, () => fs.closeSync(fs.openSync(path, "r+")));
  await attempt(`mode ${way}`, () => fs.chmodSync(path, 0o640));
  await attempt(`times ${way}`, () => fs.utimesSync(path, 1, 1));
  await attempt(`own times ${way}`, () => fs.lutimesSync(path, 2, 2));
  await attempt(`watch ${way}`, () => fs.watch(path).close());
  await attempt(`copy ${way}`, () => fs.copyFileSync(path, `copied-${way}`));
}
await attempt("owner", () => fs.chownSync(sentinel, process.getuid(), process.getgid()));
await attempt("link", () => fs.linkSync(sentinel, "linked"));
await attempt("by a link", () => {
  fs.symlinkSync(sentinel, "led");
  fs.readFileSync("led");
});
await attempt("folder", () => fs.readdirSync(outside));
await attempt("walk", () => {
  const folder = fs.opendirSync(outside, { recursive: true });
  const first = folder.readSync();
  folder.closeSync();
  return first !== null;
});
// To be somewhere is no right yet.
await attempt("go", () => {
  process.chdir(outside);
  return fs.readFileSync("sentinel.txt");
});
await attempt("put", () => fs.writeFileSync("put.txt", "x"));
await attempt("worker", () =>
  new Promise((resolve, reject) => {
    const read = `require("fs").readFileSync(${JSON.stringify(sentinel)})`;
    new Worker(read, { eval: true }).on("exit", (code) => resolve(code === 0)).on("error", reject);
  }));
for (const program of ["cat", "/bin/cat", fs.realpathSync("/bin/cat")]) {
  await attempt("by another", () => execFileSync(program, [sentinel], { env: {} }));
}
await attempt("shell", () => spawnSync('cat "$0"', [sentinel], { shell: true }).status === 0);

const reaches = (to) =>
  new Promise((resolve, reject) => {
    const socket = net.connect(to, () => resolve(socket.destroy())).on("error", reject);
  });
await attempt("tcp", () => reaches({ port: tcp, host: "127.0.0.1" }));
await attempt("unix", () => reaches({ path: unix }));
await attempt("udp", () =>
  new Promise((resolve, reject) => {
    const socket = dgram.createSocket("udp4").on("error", reject);
    socket.send("x", udp, "127.0.0.1", (error) => {
      socket.close();
      error === null ? resolve() : reject(error);
    });
  }));

// Whoever starts these does not wait for them.
for (const env of [{}, process.env]) {
  await attempt("leave", () => {
    const left = spawn("sleep", [word], { detached: true, stdio: "ignore", env });
    left.unref();
    return left.pid !== undefined;
  });
}
console.log(JSON.stringify([...got].sort()));
process.exit(0);
