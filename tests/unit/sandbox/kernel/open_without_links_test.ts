import { assert, assertEquals } from "@std/assert";
import { ERRNO } from "../../../../src/sandbox/kernel/errno.ts";
import type { Libc } from "../../../../src/sandbox/kernel/libc.ts";
import { OPEN, openWithoutLinks } from "../../../../src/sandbox/kernel/open_without_links.ts";
import { LIBC } from "../_libc.ts";

/** A C library whose kernel refuses `openat2`, as old ones and some containers' filters do. */
function withoutOpenat2(libc: Libc, errno: number): Libc {
  return {
    ...libc,
    call: (number, ...rest) =>
      number === libc.numbers.openat2 ? -errno : libc.call(number, ...rest),
  };
}

const ways: readonly (readonly [string, (libc: Libc) => Libc])[] = [
  ["openat2", (libc) => libc],
  ["components (ENOSYS)", (libc) => withoutOpenat2(libc, ERRNO.ENOSYS)],
  ["components (EPERM)", (libc) => withoutOpenat2(libc, ERRNO.EPERM)],
];

for (const [name, way] of ways) {
  Deno.test(`openWithoutLinks by ${name} opens what is there and follows no link`, () => {
    const libc = way(LIBC);
    const root = Deno.realPathSync(Deno.makeTempDirSync());
    try {
      Deno.mkdirSync(`${root}/dir/sub`, { recursive: true });
      Deno.writeTextFileSync(`${root}/dir/file`, "text");
      Deno.symlinkSync("file", `${root}/dir/link`);
      Deno.symlinkSync("dir", `${root}/dirlink`);
      Deno.symlinkSync("nowhere", `${root}/dangling`);
      const isLink = [-ERRNO.ELOOP, -ERRNO.ENOTDIR];
      const cases: readonly (readonly [string, number, "opens" | readonly number[]])[] = [
        ["/dir/file", OPEN.RDONLY, "opens"],
        ["/dir", OPEN.RDONLY, "opens"],
        ["/dir/sub", OPEN.PATH, "opens"],
        ["/dir/link", OPEN.RDONLY, isLink],
        ["/dirlink/file", OPEN.RDONLY, isLink],
        ["/dirlink", OPEN.RDONLY, isLink],
        ["/dangling", OPEN.RDONLY, isLink],
        // The link itself, for looking at it.
        ["/dir/link", OPEN.PATH, "opens"],
        ["/dir/none", OPEN.RDONLY, [-ERRNO.ENOENT]],
        ["/none/file", OPEN.RDONLY, [-ERRNO.ENOENT]],
        ["/dir/file/below", OPEN.RDONLY, [-ERRNO.ENOTDIR]],
      ];
      for (const [path, flags, expected] of cases) {
        const result = openWithoutLinks(libc, `${root}${path}`, flags);
        if (result >= 0) libc.call(libc.numbers.close, result);
        if (expected === "opens") assert(result >= 0, `${path}: ${result}`);
        else assert(expected.includes(result), `${path}: ${result}`);
      }
      const top = openWithoutLinks(libc, "/", OPEN.PATH);
      assert(top >= 0);
      assertEquals(libc.call(libc.numbers.close, top), 0);
    } finally {
      Deno.removeSync(root, { recursive: true });
    }
  });
}
