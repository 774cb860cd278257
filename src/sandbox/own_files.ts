/** What Toolgate reads for itself by a policy, and no tool may: keys and certificate authorities. */

import type { WebKey } from "../core/network.ts";
import type { Policy } from "../policy/model.ts";
import type { Settings } from "../policy/rulebook.ts";

/** The sections that name any, of one policy or of all that hold together. */
export type OwnSettings =
  | Partial<Pick<Settings, "web" | "secrets">>
  | Pick<Policy, "web" | "secrets">;

/** Where the keys of the web's providers and of `secrets` are. */
export function keyPlaces({ web, secrets }: OwnSettings): readonly WebKey[] {
  const providers = [web?.search, web?.github, web?.stackoverflow, web?.proxy];
  return [...providers, ...secrets ?? []].map((one) => one?.key ?? null).filter((key) =>
    key !== null
  );
}

/** Files with keys and authorities, absolute. The main thread reads them; where it runs a tool it gives them up before. */
export function ownFiles(settings: OwnSettings): readonly string[] {
  return [...keyFiles(settings), ...settings.web?.authorities ?? []];
}

/** Those with keys. */
export function keyFiles(settings: OwnSettings): readonly string[] {
  return keyPlaces(settings).flatMap((key) => "file" in key ? [key.file] : []);
}
