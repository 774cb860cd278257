/** What is known of the programs of coreutils and their like: files and folders, the machine, and what it says of itself. */

import type { OptionsLiteral, ProgramLiteral, ProgramTable } from "./spec.ts";

/** cp(1), mv(1), ln(1), install(1): where to, and how the name of a backup ends. */
const COPY: OptionsLiteral = {
  "-t --target-directory": "into",
  "-S --suffix": "suffix",
  "-m --mode -o --owner -g --group": "text",
};

const WHOLE_FOLDERS: OptionsLiteral = {
  "-R --recursive": { is: "flag", risk: "dangerous", because: "changes whole folders" },
};

const LISTS: ProgramLiteral = { risk: "safe", operands: "read...", alone: "always" };

/** Stops, mounts or changes what the workspace does not hold. */
function machine(because: string): ProgramLiteral {
  return { risk: "dangerous", because };
}

/** Programs for files, folders and the system, as coreutils, findutils and procps have them. */
export const COREUTILS: ProgramTable = {
  // What they are given is text: no file of that name is opened for its content.
  "echo printf true false test [ seq sleep expr basename dirname which whoami id groups uname arch nproc":
    {
      risk: "safe",
      operands: "text...",
    },
  "pwd printenv factor numfmt yes tty cal realpath readlink": {
    risk: "safe",
    operands: "text...",
  },
  "uptime free ps pgrep locale users who whereis logname getconf": {
    risk: "safe",
    operands: "text...",
    beyond: "system",
  },
  hostname: { risk: "safe", operands: "text...", mostOperands: 0, beyond: "system" },
  date: {
    risk: "safe",
    operands: "text...",
    options: {
      "-f --file": "read",
      "-r --reference -d --date": "text",
      "-s --set": { is: "text", risk: "dangerous", because: "sets the clock" },
    },
  },
  "dir vdir": LISTS,
  df: { ...LISTS, beyond: "system" },
  // What git ignores or has changed.
  "exa eza": { ...LISTS, beyond: "workspace" },
  ls: {
    ...LISTS,
    options: {
      "-I --ignore --hide -T --tabsize -w --width --sort --time --time-style --block-size": "text",
    },
  },
  tree: {
    ...LISTS,
    options: { "-L -P -I --charset --filelimit": "text", "-o": "write" },
  },
  du: {
    ...LISTS,
    options: {
      "--files0-from": { is: "read", lists: true },
      "-X --exclude-from": "read",
      "-d --max-depth -t --threshold -B --block-size --exclude": "text",
    },
  },
  stat: {
    risk: "safe",
    operands: "read...",
    options: { "-c --format --printf": "text" },
  },
  file: {
    risk: "safe",
    operands: "read...",
    options: {
      "-f --files-from": { is: "read", lists: true },
      "-m --magic-file": "read",
      "-F --separator -P --parameter -e --exclude": "text",
      "-C --compile": { is: "flag", risk: "moderate", because: "writes a file" },
    },
  },
  "find gfind": {
    risk: "safe",
    grammar: "words",
    inspect: "find",
    operands: "probe...",
    alone: "always",
    options: {
      "-delete": { is: "flag", risk: "dangerous", because: "deletes what it finds" },
      "-fprint -fprint0 -fprintf -fls": "write",
      "-newer -anewer -cnewer -samefile": "read",
      "-files0-from": { is: "read", lists: true },
    },
    // What -exec starts is judged as if it stood alone.
    wraps: { by: "options", options: ["-exec", "-execdir", "-ok", "-okdir"] },
    starts: "none",
    review: {
      ways: [[".", "-exec", "PROGRAM", "{}", ";"]],
      instead: "leave it to the tools list_directory and search_files",
    },
  },
  "fd fdfind": {
    risk: "safe",
    operands: "text read...",
    alone: "always",
    options: {
      "-e --extension -t --type -d --max-depth -E --exclude -j --threads -S --size": "text",
      "--ignore-file --search-path --base-directory": "read",
    },
    wraps: {
      by: "options",
      options: ["-x", "--exec", "-X", "--exec-batch"],
      parts: true,
    },
    starts: "none",
    // What is to be ignored, in folders above too.
    beyond: "workspace",
  },
  touch: {
    risk: "moderate",
    operands: "write...",
    options: { "-d --date -t": "text", "-r --reference": "read" },
  },
  rm: {
    risk: "moderate",
    operands: "delete...",
    through: "-r -R --recursive",
    options: {
      "-r -R --recursive": { is: "flag", risk: "dangerous", because: "removes whole folders" },
    },
  },
  "rmdir unlink": { risk: "moderate", operands: "delete..." },
  shred: {
    risk: "dangerous",
    because: "destroys files",
    operands: "write...",
    options: { "-n --iterations -s --size": "text", "--random-source": "read" },
  },
  truncate: {
    risk: "moderate",
    operands: "write...",
    options: { "-s --size": "text", "-r --reference": "read" },
  },
  mkdir: { risk: "moderate", operands: "folder...", options: { "-m --mode": "text" } },
  mkfifo: { risk: "moderate", operands: "write...", options: { "-m --mode": "text" } },
  mknod: { risk: "moderate", operands: "write text...", options: { "-m --mode": "text" } },
  mktemp: {
    risk: "moderate",
    operands: "write",
    options: { "-p --tmpdir": "folder", "--suffix": "suffix" },
    stem: "tmp.XXXXXXXXXX",
  },
  cp: {
    risk: "moderate",
    operands: "read... write",
    options: COPY,
    copies: true,
    through: "-r -R --recursive -a --archive",
    links:
      "-s --symbolic-link -l --link -P --no-dereference -d -a --archive -R -r --recursive --preserve",
  },
  mv: {
    risk: "moderate",
    operands: "delete... write",
    options: COPY,
    copies: true,
    through: "always",
  },
  install: {
    risk: "moderate",
    operands: "read... write",
    options: {
      ...COPY,
      "--strip-program": "command",
    },
    copies: true,
    when: [{ has: "-d --directory", operands: "folder..." }],
    starts: ["strip"],
  },
  // Through another name a program could write what this one may not: a hard link is as good as writing.
  ln: {
    risk: "moderate",
    operands: "write... write",
    options: COPY,
    copies: true,
    links: "always",
    when: [
      // By its own folder, which is the working folder with -r alone (ln(1)).
      { has: "-r --relative", operands: "read... write", copies: true },
      {
        has: "-s --symbolic",
        operands: "read... write",
        copies: true,
        leads: { never: "-T --no-target-directory", unlessLink: "-n --no-dereference" },
      },
    ],
  },
  chmod: {
    risk: "moderate",
    operands: "text write...",
    through: "-R --recursive",
    options: { ...WHOLE_FOLDERS, "--reference": "script-file" },
  },
  chown: {
    risk: "moderate",
    operands: "text write...",
    through: "-R --recursive",
    options: { ...WHOLE_FOLDERS, "--reference": "script-file", "--from": "text" },
  },
  chgrp: {
    risk: "moderate",
    operands: "text write...",
    through: "-R --recursive",
    options: { ...WHOLE_FOLDERS, "--reference": "script-file" },
  },
  dd: { risk: "moderate", operands: "named..." },
  kill: { ...machine("stops other processes"), operands: "text...", beyond: "system" },
  "pkill killall": machine("stops other processes"),
  mkfs: machine("destroys a file system"),
  "fdisk parted": machine("changes disks"),
  "mount umount": machine("changes what is mounted"),
  "shutdown reboot halt poweroff": machine("stops the machine"),
  service: machine("changes services"),
  systemctl: {
    ...machine("changes services"),
    before: {
      "-H --host -M --machine -t --type -n --lines": "text",
      "--user --system --no-pager -q --quiet --no-block": "flag",
    },
  },
  "crontab at batch": machine("runs commands later"),
  iptables: machine("changes the network"),
  "insmod modprobe": machine("loads code into the kernel"),
  "open xdg-open": machine("starts other programs"),
};
