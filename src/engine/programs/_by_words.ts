/** Programs that are held by their words alone. */

import { baseName } from "../../core/path_text.ts";
import type { Effects } from "../../policy/rulebook.ts";

/**
 * Programs whose files are all among their words, or where they stand: they get those and no others. Of the rest that
 * the table knows more is read than is named (`git` its repository, `rg` what it is to ignore).
 */
const BY_WORDS: ReadonlySet<string> = new Set(
  [
    "cat tac head tail wc nl rev cut paste tr fold fmt expand unexpand pr tsort comm",
    "join cmp uniq sort shuf seq echo printf true false test [ pwd basename dirname",
    "realpath readlink stat ls dir vdir du find grep egrep fgrep sed awk gawk mawk od",
    "xxd hexdump strings md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum",
    "cksum sum base64 base32 basenc iconv jq file column tree date sleep expr numfmt",
    "factor yes id whoami groups uname arch nproc printenv tee cp mv rm rmdir mkdir",
    "touch ln chmod mktemp truncate diff which env timeout nice nohup xargs time",
    "stdbuf",
  ].flatMap((row) => row.split(" ")),
);

/** An option that names a list of further files: those are no words. */
const NAMES_A_LIST = /^--?(?:files0?-from|exclude-from|include-from)\b/;

/** Whether its files are those of its words. */
export function isByWords(argv: readonly string[], { touchesAnything }: Effects): boolean {
  return !touchesAnything && BY_WORDS.has(baseName(argv[0] ?? "")) &&
    !argv.some((word) => NAMES_A_LIST.test(word));
}
