/** The outline of code for people: a heading a file, and below it its symbols, each as far in as it lies in others. */

import { isObject } from "../../core/json_value.ts";
import { clip, plain } from "./plain_text.ts";
import type { Screen } from "./screen.ts";
import { styleOf } from "./style.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Files as `analyze_code_structure` answers them; null for anything else. */
export function outlinedFiles(value: unknown): readonly Fields[] | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  const isOutlined = value.every((file) =>
    isObject(file) && Array.isArray(file["symbols"]) && isObject(file["lines"])
  );
  return isOutlined ? value as readonly Fields[] : null;
}

/** The symbols of files for people, below each other as they lie in each other. */
export function renderOutline(files: readonly Fields[], screen: Screen): string {
  const style = styleOf(screen);
  return files.map((file) => {
    const symbols = (file["symbols"] as readonly unknown[]).filter(isObject);
    const lines = file["lines"] as Fields;
    const code = textOf(lines["code"]);
    const facts = `${textOf(file["language"])}, ${code} ${code === "1" ? "line" : "lines"} of code`;
    const digits = Math.max(1, ...symbols.map((symbol) => textOf(symbol["line"]).length));
    return [
      `${style.heading(plain(textOf(file["path"])))}  ${style.faint(plain(facts))}`,
      ...symbols.map((symbol) => symbolLine(symbol, digits, screen)),
    ].join("\n");
  }).join("\n");
}

function symbolLine(symbol: Fields, digits: number, screen: Screen): string {
  const parent = textOf(symbol["parent"]);
  const depth = parent === "" ? 0 : parent.split(".").length;
  const line = textOf(symbol["line"]).padStart(digits);
  const mark = symbol["exported"] === true ? "+" : " ";
  const text = plain(`  ${line} ${mark} ${"  ".repeat(depth)}${textOf(symbol["signature"])}`);
  return screen.columns === null ? text : clip(text, screen.columns);
}

function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
