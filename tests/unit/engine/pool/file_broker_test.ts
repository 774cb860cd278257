import { assertEquals } from "@std/assert";
import type { CanonicalPath } from "../../../../src/core/capability.ts";
import { FileBroker, openForOther, Requests } from "../../../../src/engine/pool/_file_broker.ts";
import type { ToWorker } from "../../../../src/engine/pool/_protocol.ts";
import { close, openPipe } from "../../../../src/host/kernel/pipes.ts";
import { ERRNO } from "../../../../src/sandbox/kernel/errno.ts";
import { rulebookOf } from "../../host/_rulebook.ts";
import { withDirectory } from "../../host/files/_temporary.ts";
import { LIBC as libc } from "../../sandbox/_libc.ts";

class Thread {
  readonly heard: ToWorker[] = [];
  readonly say = (message: ToWorker): void => {
    this.heard.push(message);
  };
}

Deno.test("each opening is answered to who asked, also when who was asked is gone", () => {
  const [asker, other, opener] = [new Thread(), new Thread(), new Thread()];
  const openings = new FileBroker<Thread>();
  const file = { kind: "write", path: "/w/a" as CanonicalPath } as const;
  openings.ask(asker, 1, file, opener);
  openings.ask(other, 1, file, opener);
  const numbers = opener.heard.map((message) => message.kind === "open" ? message.request : -1);
  openings.answer(numbers[1] ?? 0, 7);
  openings.forget(opener);
  openings.answer(numbers[0] ?? 0, 8);
  assertEquals(other.heard, [{ kind: "opened", request: 1, descriptor: 7 }]);
  assertEquals(asker.heard, [{ kind: "opened", request: 1, descriptor: -ERRNO.EACCES }]);
});

Deno.test("only what the policy lets be read or written is opened for another", () =>
  withDirectory((directory) => {
    Deno.writeTextFileSync(`${directory}/shut`, "sentinel");
    const rulebook = rulebookOf(directory, {
      paths: [
        { effect: "allow", access: ["read", "write"], match: ["**"] },
        { effect: "deny", access: ["read", "write"], match: ["shut"] },
      ],
    });
    const at = (name: string): CanonicalPath => `${directory}/${name}` as CanonicalPath;
    const open = (kind: "read" | "write", path: CanonicalPath) =>
      openForOther(libc, rulebook, { kind, path });
    const descriptor = open("write", at("new"));
    assertEquals(descriptor > 2, true);
    close(libc, descriptor);
    assertEquals(open("write", at("shut")), -ERRNO.EACCES);
    assertEquals(open("write", "/etc/new" as CanonicalPath), -ERRNO.EACCES);
    const reading = open("read", at("new"));
    assertEquals(reading > 2, true);
    close(libc, reading);
    assertEquals(open("read", at("shut")), -ERRNO.EACCES);
    Deno.symlinkSync(at("shut"), at("link"));
    assertEquals(open("write", at("link")), -ERRNO.ELOOP);
    assertEquals(Deno.readTextFileSync(at("shut")), "sentinel");
  }));

Deno.test("a descriptor that nobody waits for is closed", async () => {
  const requests = new Requests(libc);
  const { request, answer } = requests.add();
  requests.settle(request, 5);
  assertEquals(await answer, 5);
  const pipe = openPipe(libc);
  requests.settle(request, pipe.read);
  assertEquals(libc.call(libc.numbers.close, pipe.read), -ERRNO.EBADF);
  close(libc, pipe.write);
});
