/**
 * A root file system with nothing in it but what an image of the README's Dockerfile needs: the C library, libgcc_s and
 * what is copied there. A program in it is started in namespaces of its own, without rights, and cannot leave it.
 */

import { dirname, join } from "@std/path";
import type { Image } from "./_dockerfile.ts";

/** Needed by the binary, as its dynamic section says, beside the loader. */
export const LIBRARIES = [
  "libc.so.6",
  "libdl.so.2",
  "libgcc_s.so.1",
  "libm.so.6",
  "libpthread.so.0",
  "librt.so.1",
] as const;

/** Where Debian's images, those without anything else too, have the loader and the libraries; where else they may be had. */
export const MACHINES = {
  x86_64: {
    loader: "/lib64/ld-linux-x86-64.so.2",
    folder: "/lib/x86_64-linux-gnu",
    sources: ["/lib/x86_64-linux-gnu", "/lib64", "/usr/lib"],
  },
  aarch64: {
    loader: "/lib/ld-linux-aarch64.so.1",
    folder: "/lib/aarch64-linux-gnu",
    sources: ["/lib/aarch64-linux-gnu", "/usr/aarch64-linux-gnu/lib", "/lib64", "/lib"],
  },
} as const;
export type Machine = keyof typeof MACHINES;

/** The path on this machine of a library, or of the loader; null where it has none for that machine. */
export function findLibrary(machine: Machine, name: string): string | null {
  const { sources, loader } = MACHINES[machine];
  const paths = [
    ...sources.map((folder) => join(folder, name)),
    ...loader.endsWith(name) ? [loader] : [],
  ];
  return paths.find(isFile) ?? null;
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/** Lays the image out in the folder `root`, which is not there yet. `sources`: where what it copies is. */
export function layOut(
  root: string,
  image: Image,
  sources: Readonly<Record<string, string>>,
  machine: Machine,
): void {
  const put = (from: string, to: string, mode: number) => {
    const full = join(root, to);
    Deno.mkdirSync(dirname(full), { recursive: true, mode: 0o755 });
    Deno.copyFileSync(from, full);
    Deno.chmodSync(full, mode);
  };
  Deno.mkdirSync(root, { mode: 0o755 });
  const { loader, folder } = MACHINES[machine];
  for (const name of [loader, ...LIBRARIES]) {
    const from = findLibrary(machine, name.replace(/^.*\//, ""));
    if (from === null) throw new Error(`this machine has no ${name} for ${machine}`);
    put(from, name.startsWith("/") ? name : join(folder, name), 0o755);
  }
  for (const { from, to, mode } of image.copies) {
    const source = sources[from];
    if (source === undefined) throw new Error(`nothing to copy: ${from}`);
    put(source, to, mode);
  }
  for (const path of [image.workdir, "/proc", "/dev"]) {
    Deno.mkdirSync(join(root, path), { recursive: true, mode: 0o755 });
  }
}

/** What a program finds there beside the image. */
export interface Surroundings {
  /** The folder that is at the image's working directory. */
  readonly workspace: string;
  readonly readOnlyWorkspace?: boolean;
  readonly proc?: boolean;
  /** `/dev/null`, as the only device. */
  readonly devNull?: boolean;
  /** Runs programs of another machine. */
  readonly emulator?: string;
}

/** Who starts bubblewrap, and how it gives `/proc`: in some containers one way works, in some another. */
interface Way {
  readonly proc: readonly string[];
  readonly user: { readonly uid: number; readonly gid: number } | null;
}

/**
 * What is emulated: all that the emulator knows, but pointers are signed by its own quick hash in place of the one that
 * processors have, QARMA, on which three quarters of the time would go.
 */
const EMULATED = ["-cpu", "max,pauth-impdef=on"] as const;

/** A command that starts the words in the image; to be started by `user`, where it is not null. */
export function commandIn(
  root: string,
  image: Image,
  { workspace, readOnlyWorkspace, proc, devNull, emulator }: Surroundings,
  words: readonly string[],
  way: Way,
): readonly string[] {
  const { uid, gid } = image.user;
  const devices = [
    ...devNull === true ? ["--dev-bind", "/dev/null", "/dev/null"] : [],
    ...emulator === undefined ? [] : ["--ro-bind", emulator, "/dev/emulator"],
  ];
  return [
    ...["bwrap", "--die-with-parent", "--unshare-user", "--unshare-net", "--unshare-ipc"],
    ...["--uid", `${uid}`, "--gid", `${gid}`, "--cap-drop", "ALL", "--clearenv"],
    ...["--ro-bind", root, "/"],
    ...[readOnlyWorkspace === true ? "--ro-bind" : "--bind", workspace, image.workdir],
    ...proc === true ? way.proc : [],
    ...devices.length === 0 ? [] : ["--tmpfs", "/dev", ...devices, "--remount-ro", "/dev"],
    ...["--chdir", image.workdir, "--"],
    ...emulator === undefined ? [] : ["/dev/emulator", ...EMULATED],
    ...words,
  ];
}

const PROC: readonly (readonly string[])[] = [
  ["--unshare-pid", "--proc", "/proc"],
  // Where a part of /proc is hidden, as containers have it, no other may be mounted.
  ["--ro-bind", "/proc", "/proc"],
];

/** The first way that works here, with the image's own user where that can be; null where none does. */
export function findWay(image: Image): Way | null {
  const users = Deno.uid() === 0 ? [image.user, null] : [null];
  const ways = users.flatMap((user) => PROC.map((proc) => ({ proc, user })));
  return ways.find(({ proc, user }) => {
    try {
      return new Deno.Command("bwrap", {
        args: ["--unshare-user", "--unshare-net", "--unshare-ipc", "--ro-bind", "/", "/", ...proc]
          .concat(["--", "/bin/true"]),
        stdin: "null",
        stdout: "null",
        stderr: "null",
        ...user,
      }).outputSync().success;
    } catch {
      return false;
    }
  }) ?? null;
}
