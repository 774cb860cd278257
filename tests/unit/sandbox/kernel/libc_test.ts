import { assert, assertEquals, assertThrows } from "@std/assert";
import { ERRNO, errnoName } from "../../../../src/sandbox/kernel/errno.ts";
import { type Libc, openLibc } from "../../../../src/sandbox/kernel/libc.ts";
import { visitEntries } from "../../../../src/host/kernel/directory_entries.ts";
import { AT_FDCWD, OPEN } from "../../../../src/sandbox/kernel/open_without_links.ts";
import { syscallsOf } from "../../../../src/sandbox/kernel/_syscalls.ts";
import { LIBC as libc } from "../_libc.ts";

/** All of it at once, and the rest only when something fails: that stays open as the first does. */
function opened(): readonly Libc[] {
  const late = openLibc({ late: true });
  assert(late !== null);
  return [libc, late];
}
const STAYS_OPEN = { sanitizeResources: false } as const;

Deno.test("openLibc reads and writes through buffers of the caller", STAYS_OPEN, () => {
  for (const libc of opened()) {
    const path = Deno.makeTempFileSync();
    try {
      const { numbers } = libc;
      const descriptor = libc.call(
        numbers.openat,
        AT_FDCWD,
        libc.path(path),
        OPEN.RDWR | OPEN.CLOEXEC,
      );
      assert(descriptor > 2);
      const text = new TextEncoder().encode("grüße");
      // A view that begins behind the beginning of its buffer.
      const within = new Uint8Array([0, 0, 0, ...text]).subarray(3);
      assertEquals(libc.transfer(numbers.write, descriptor, within, text.length), text.length);
      assertEquals(libc.callWide(numbers.lseek, descriptor, 0, 0), 0);
      const read = new Uint8Array(text.length + 1).subarray(1);
      assertEquals(libc.transfer(numbers.read, descriptor, read, read.length), text.length);
      assertEquals(new TextDecoder().decode(read), "grüße");
      assertEquals(libc.call(numbers.close, descriptor), 0);
      assertEquals(Deno.readTextFileSync(path), "grüße");
    } finally {
      Deno.removeSync(path);
    }
  }
});

Deno.test(
  "openLibc gives error numbers with their sign turned, the first that fails, too",
  STAYS_OPEN,
  () => {
    const open = (libc: Libc, path: string): number =>
      libc.call(libc.numbers.openat, AT_FDCWD, libc.path(path), OPEN.RDONLY);
    const failing: readonly (readonly [number, (libc: Libc) => number])[] = [
      [ERRNO.ENOENT, (libc) => open(libc, "/no-such-file-here")],
      [ERRNO.ENOTDIR, (libc) => open(libc, "/etc/passwd/below")],
      [ERRNO.EBADF, (libc) => libc.call(libc.numbers.close, 9_999)],
      [ERRNO.EBADF, (libc) => libc.transfer(libc.numbers.read, 9_999, new Uint8Array(1), 1)],
      [ERRNO.EBADF, (libc) => libc.callWide(libc.numbers.lseek, 9_999, 0, 0)],
      [ERRNO.ENOSYS, (libc) => libc.call(99_999)],
    ];
    for (let first = 0; first < failing.length; first++) {
      for (const libc of opened()) {
        for (const [errno, fail] of [...failing.slice(first), ...failing.slice(0, first)]) {
          assertEquals(fail(libc), -errno);
        }
      }
    }
  },
);

Deno.test("path keeps two places and refuses what no system call takes", () => {
  const first = libc.path("/a/b", 0);
  const second = libc.path("/c", 1);
  assertEquals(second - first, 4096);
  for (const bad of ["a\0b", "\ud800", "x".repeat(4096), "é".repeat(2048)]) {
    assertThrows(() => libc.path(bad), TypeError);
  }
  libc.path("x".repeat(4095));
});

Deno.test("path puts each text as its bytes, short or long, ended where it ends", () => {
  const folder = Deno.makeTempDirSync({ prefix: "toolgate-test-" });
  try {
    // Each is shorter than the one before somewhere, and other letters stand behind its end.
    const lengths = [300, 257, 256, 255, 254, 12, 1];
    const targets = lengths.flatMap((length) => {
      const plain = "a".repeat(length);
      return [plain, `${plain.slice(1)}é`, `é${plain.slice(1)}`, `${plain}\x7f\x01`, "b"];
    });
    for (const [at, target] of targets.entries()) {
      const name = `${folder}/${at}`;
      const [to, from] = [libc.path(target, 1), libc.path(name)];
      assertEquals(libc.call(libc.numbers.symlinkat, to, AT_FDCWD, from), 0);
      assertEquals(Deno.readLinkSync(name), target);
    }
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

Deno.test("path takes bytes that are no text, as they are", () => {
  const { numbers } = libc;
  const folder = Deno.makeTempDirSync();
  try {
    const directory = libc.call(numbers.openat, AT_FDCWD, libc.path(folder), OPEN.RDONLY);
    const name = "a\udcff\n";
    const made = libc.call(numbers.openat, directory, libc.path(name), OPEN.CREAT, 0o600);
    assert(made > 2);
    const listed: number[] = [];
    visitEntries(libc, directory, new Uint8Array(4096), ({ bytes, start, end }) => {
      listed.push(...bytes.subarray(start, end));
      return true;
    });
    assertEquals(listed, [0x61, 0xff, 0x0a]);
    assertEquals(libc.call(numbers.unlinkat, directory, libc.path(name), 0), 0);
    for (const descriptor of [directory, made]) libc.call(numbers.close, descriptor);
    for (const text of ["a\0", "\udcff\0", "\ud800", "\udc7f", "\udcc3\udca9"]) {
      assertThrows(() => libc.path(text), TypeError);
    }
    assertThrows(() => libc.path("\udcff".repeat(4096)), TypeError);
    assert(libc.path("\udcff".repeat(4095)) > 0);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

Deno.test("callWide gives results beyond 32 bits, and error numbers too", () => {
  const { numbers } = libc;
  const path = Deno.makeTempFileSync();
  try {
    const descriptor = libc.call(numbers.openat, AT_FDCWD, libc.path(path), OPEN.RDWR);
    for (const offset of [0, 2 ** 31, 2 ** 32 - 1, 2 ** 40]) {
      assertEquals(libc.callWide(numbers.lseek, descriptor, offset, 0), offset);
    }
    assertEquals(libc.callWide(numbers.lseek, descriptor, -1, 0), -ERRNO.EINVAL);
    libc.call(numbers.close, descriptor);
  } finally {
    Deno.removeSync(path);
  }
});

Deno.test("system call tables name each call once, and only known architectures", () => {
  for (const architecture of ["x86_64", "aarch64"]) {
    const { O_DIRECTORY: _d, O_NOFOLLOW: _n, ...numbers } = syscallsOf(architecture) ??
      (() => {
        throw new Error(architecture);
      })();
    const values = Object.values(numbers);
    assertEquals(new Set(values).size, values.length);
  }
  assertEquals(syscallsOf("riscv64"), null);
});

Deno.test("errnoName knows the common ones and numbers the rest", () => {
  assertEquals(errnoName(13), "EACCES");
  assertEquals(errnoName(200), "errno 200");
});

/** Opened outside of the test, which would take it for a leak. */
const quick = openLibc({ quickFiles: true, quickLogs: true });

Deno.test("the calls for many files give what the others give, quick or not", () => {
  const directory = Deno.makeTempDirSync();
  assert(quick !== null);
  try {
    Deno.writeTextFileSync(`${directory}/größe`, "grüße");
    for (const { files, call, path, numbers } of [libc, quick]) {
      const folder = call(numbers.openat, AT_FDCWD, path(directory), numbers.O_DIRECTORY);
      const file = files.open(folder, "größe", OPEN.RDONLY | OPEN.CLOEXEC);
      assert(file > 2);
      const buffer = new Uint8Array(100);
      assertEquals(files.read(file, buffer.subarray(0, 3)), 3);
      assertEquals(files.read(file, buffer.subarray(3)), 4);
      assertEquals(files.read(file, buffer), 0);
      assertEquals(new TextDecoder().decode(buffer.subarray(0, 7)), "grüße");
      assertEquals(files.close(file), 0);
      assertEquals(files.close(file), -ERRNO.EBADF);
      assertEquals(files.read(file, buffer), -ERRNO.EBADF);
      assertEquals(files.open(folder, "none", OPEN.RDONLY), -ERRNO.ENOENT);
      assertThrows(() => files.open(folder, "a\0b", OPEN.RDONLY), TypeError);
      assertEquals(files.close(folder), 0);
    }
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
});

Deno.test("the calls for logs give what the others give, quick or not", () => {
  const directory = Deno.makeTempDirSync();
  assert(quick !== null);
  try {
    const name = `${directory}/log`;
    // A file with a hole: its end takes more than 32 bits.
    Deno.writeTextFileSync(name, "");
    Deno.truncateSync(name, 5 * 2 ** 32 + 7);
    for (const { logs, files, call, path, numbers } of [libc, quick]) {
      const file = call(numbers.openat, AT_FDCWD, path(name), OPEN.RDWR | OPEN.CLOEXEC, 0);
      assert(file > 2);
      assertEquals(logs.flock(file, 2), 0);
      const before = Deno.statSync(name).size;
      assertEquals(logs.end(file), before);
      assertEquals(logs.write(file, new Uint8Array([1, 2, 3, 4]).subarray(1)), 3);
      assertEquals(logs.end(file), before + 3);
      assertEquals(logs.flock(file, 8), 0);
      assertEquals(files.close(file), 0);
      assertEquals(logs.flock(file, 2), -ERRNO.EBADF);
      assertEquals(logs.end(file), -ERRNO.EBADF);
      assertEquals(logs.write(file, new Uint8Array(1)), -ERRNO.EBADF);
    }
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
});
