/** What is known of programs that pack and unpack. */

import type { OptionsLiteral, ProgramLiteral, ProgramTable, ResultName } from "./spec.ts";

const TO_STDOUT = "-c --stdout --to-stdout -l --list -t --test";

function compressor(result: ResultName, starts?: readonly string[]): ProgramLiteral {
  return {
    risk: "moderate",
    operands: "delete...",
    options: {
      "-S --suffix": "suffix",
      "-T --threads -b -p --processes": "text",
      "-o --output": "write",
    },
    when: [{ has: TO_STDOUT, operands: "read..." }],
    through: "-r --recursive",
    results: result,
    ...(starts === undefined ? {} : { starts }),
  };
}

const GZIP: ResultName = {
  endings: ".gz .z .Z -gz -z _z .tgz=.tar .taz=.tar",
  adds: ".gz",
  unpacks: "-d --decompress --uncompress",
};
const BZIP2: ResultName = {
  endings: ".bz2 .bz .tbz2=.tar .tbz=.tar",
  adds: ".bz2",
  unpacks: "-d --decompress",
};
const XZ: ResultName = {
  endings: ".xz .lzma .txz=.tar .tlz=.tar",
  adds: ".xz",
  unpacks: "-d --decompress --uncompress",
};
const ZSTD: ResultName = {
  endings: ".zst .tzst=.tar .gz .xz .lz4",
  adds: ".zst",
  unpacks: "-d --decompress --uncompress",
};

/** Programs that tar(1) starts to pack and unpack, by a shell (`xexec` in GNU tar's system.c). */
const COMPRESSORS = ["sh", "gzip", "bzip2", "xz", "lzip", "lzma", "lzop", "zstd", "compress"];

/** Of tar(1): options with a value that mean the same whatever it does. */
const TAR: OptionsLiteral = {
  "-T --files-from -X --exclude-from": "read",
  "-g --listed-incremental --index-file": "write",
  "--exclude --transform --xform --strip-components --owner --group --mode --mtime --format -H":
    "text",
  "-b --blocking-factor -N --newer --after-date --newer-mtime -K --starting-file -L --tape-length":
    "text",
  "-V --label --checkpoint --record-size --backup --owner-map --group-map --sort --volno-file":
    "text",
  "--suffix": "suffix",
  "-I --use-compress-program -F --info-script --new-volume-script --to-command": "command",
  "--rsh-command --rmt-command": "command",
  "--checkpoint-action": { is: "command", behind: "exec=" },
  "--remove-files --recursive-unlink --unlink-first -P --absolute-names": {
    is: "flag",
    risk: "dangerous",
    because: "removes files, or writes outside the folder it unpacks into",
  },
};

/** Programs that pack and unpack. */
export const ARCHIVES: ProgramTable = {
  gzip: compressor(GZIP),
  gunzip: compressor({ ...GZIP, unpacks: "always" }, ["gzip"]),
  bzip2: compressor(BZIP2),
  bunzip2: compressor({ ...BZIP2, unpacks: "always" }),
  xz: compressor(XZ),
  unxz: compressor({ ...XZ, unpacks: "always" }),
  zstd: { ...compressor(ZSTD), operands: "write..." },
  zcat: { risk: "moderate", operands: "read...", starts: ["gzip"] },
  "bzcat xzcat zstdcat": { risk: "moderate", operands: "read..." },
  "tar gtar bsdtar": {
    risk: "moderate",
    grammar: "tar",
    operands: "text...",
    options: { ...TAR, "-f --file": "read", "-C --directory": "into" },
    when: [
      {
        has: "-c --create -r --append -u --update -A --catenate --delete",
        operands: "read...",
        options: { ...TAR, "-f --file": "write", "-C --directory": "from" },
      },
      { has: "-x --extract --get", here: true, members: true },
    ],
    // Of what is packed alone.
    through: "always",
    starts: COMPRESSORS,
    // Lists of names, members that are links.
    beyond: "workspace",
  },
  zip: {
    risk: "moderate",
    grammar: "zip",
    operands: "write read...",
    options: {
      "-x -i -n -P -b -t -tt -s -sp -ds -UN -Z -R": "text",
      // Options of two letters, which its parser takes before those of one.
      "-AC -AS -db -dc -dd -df -dg -du -dv -DF -FF -FI -FS -h2 -ll -la -li -lu -MM -nw -RE -sb -sc":
        "flag",
      "-sd -sf -so -su -sU -sv -ww -ws -wl": "flag",
      "-O --out -lf --logfile-path": "write",
      "-TT --unzip-command": "command",
      "-T --test": "flag",
    },
    through: "-r --recurse-paths",
    // With -T.
    starts: ["unzip"],
    // With -@ it reads names.
    beyond: "workspace",
  },
  unzip: {
    risk: "moderate",
    operands: "read text...",
    options: { "-d": "into", "-x -P": "text" },
    here: true,
    members: true,
    when: [{ has: "-l -t -p -v -Z", operands: "read text..." }],
  },
  cpio: {
    risk: "moderate",
    operands: "text...",
    options: {
      "-F --file -I": "read",
      "-O": "write",
      "-D --directory": "into",
      "-H --format -E --pattern-file -R --owner -C --io-size -M --message": "text",
      "--rsh-command": "command",
    },
    here: true,
    // It reads names.
    beyond: "workspace",
  },
};
