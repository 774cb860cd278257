import { assertEquals } from "@std/assert";
import { Child } from "../../../../../src/serve/gate/children/child.ts";

function child(): Child {
  const parts = { id: "child-1", task: "t", context: null, parent: null, branch: "b", path: "p" };
  // Nothing of these is looked at here.
  const others = { token: null, owner: null, receipt: null, minders: null } as unknown;
  return new Child({
    ...parts,
    ...others as Pick<Child, "token" | "owner" | "receipt" | "minders">,
  });
}

Deno.test("a child's engine waits for who looks at its work, however that goes", async () => {
  const one = child();
  await one.unlooked();
  const [first, second] = [Promise.withResolvers<number>(), Promise.withResolvers<number>()];
  const looks = Promise.allSettled([one.looked(first.promise), one.looked(second.promise)]);
  const told: string[] = [];
  const unlooked = one.unlooked().then(() => told.push("nobody looks"));
  first.resolve(1);
  await first.promise;
  await Promise.resolve();
  told.push("one has looked");
  second.reject(new Error("nothing to see"));
  await unlooked;
  assertEquals(told, ["one has looked", "nobody looks"]);
  assertEquals((await looks).map(({ status }) => status), ["fulfilled", "rejected"]);
  await one.unlooked();
});
