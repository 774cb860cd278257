/** Names as file systems that ignore case compare them: for rules that deny or ask, where matching too much is the safe side. */

/**
 * Case and composition folded, characters removed that HFS+ ignores (the list of CVE-2014-9390), and the
 * dots and blanks at the end that Windows drops (learn.microsoft.com, "Naming Files, Paths, and Namespaces").
 */
export function fold(name: string): string {
  return name
    .replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, "")
    .normalize("NFC").toUpperCase().toLowerCase().normalize("NFC")
    .replace(/(?<=[^. ])[. ]+$/, "");
}
