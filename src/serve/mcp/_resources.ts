/** Files of the workspace as MCP resources: through the same tools, under the same policy, as everything else. */

import { isObject } from "../../core/json_value.ts";
import { jsonText, type Result } from "../../core/result.ts";
import {
  type Params,
  type Revision,
  RPC,
  RpcError,
  STATELESS_REVISION,
  textParam,
} from "./messages.ts";

/** Runs a tool for the client, the whole way through. */
export type CallTool = (tool: string, args: Params) => Promise<Result>;

const PREFIX = "workspace:///";

/** The result of `resources/templates/list`. */
export const RESOURCE_TEMPLATES = {
  resourceTemplates: [{
    uriTemplate: `${PREFIX}{+path}`,
    name: "workspace_file",
    title: "File of the workspace",
    description: "A file by its path relative to the workspace, as the policy lets it be read.",
  }],
} as const;

/** Files that one page lists at most, however many the policy's limits allow. */
const PAGE = 200;

/** `resources/list`: what lies below the workspace, in path order, page by page. */
export async function listResources(params: Params, call: CallTool): Promise<Params> {
  const start = cursorOf(params["cursor"]);
  const found = outputOf(await call("list_directory", { path: ".", recursive: true }));
  const entries = Array.isArray(found["entries"]) ? found["entries"].filter(isObject) : [];
  const files = entries.filter(({ type }) => type === "file");
  const resources = files.slice(start, start + PAGE).map(({ path, name, size }) => ({
    uri: uriOf(String(path)),
    name: String(path),
    title: String(name),
    ...(typeof size === "number" ? { size } : {}),
  }));
  const next = start + PAGE;
  return { resources, ...(next < files.length ? { nextCursor: String(next) } : {}) };
}

function cursorOf(cursor: unknown): number {
  if (cursor === undefined) return 0;
  if (typeof cursor === "string" && /^[1-9]\d{0,8}$/.test(cursor)) return Number(cursor);
  throw new RpcError(RPC.invalidParams, "cursor: not one that resources/list gave");
}

/** `resources/read`: text where it is UTF-8 text, else base64. */
export async function readResource(
  params: Params,
  call: CallTool,
  revision: Revision,
): Promise<Params> {
  const uri = textParam(params, "uri");
  const path = pathOf(uri);
  const asText = await call("read_file", { path });
  if (asText.success) {
    const text = outputOf(asText)["content"];
    return { contents: [{ uri, mimeType: "text/plain", text }] };
  }
  const code = asText.error?.code;
  const binary = code === "BINARY_FILE" || code === "INVALID_ENCODING"
    ? await call("read_file", { path, encoding: "base64" })
    : asText;
  const blob = outputOf(binary, { uri, revision })["content"];
  return { contents: [{ uri, mimeType: "application/octet-stream", blob }] };
}

/** The output of a success. Throws what the client is told of a failure. */
function outputOf(
  result: Result,
  read?: { readonly uri: string; readonly revision: Revision },
): Params {
  const { error, output } = result;
  if (error === null) {
    const value: unknown = JSON.parse(jsonText(output));
    return isObject(value) ? value : {};
  }
  const missing = error.code === "FILE_NOT_FOUND" || error.code === "NOT_A_FILE";
  throw new RpcError(
    missing && read?.revision !== STATELESS_REVISION ? RPC.resourceNotFound : RPC.invalidParams,
    `${error.code}: ${error.message}`,
    read === undefined ? undefined : { uri: read.uri },
  );
}

function uriOf(path: string): string {
  return PREFIX + path.split("/").map(encodeURIComponent).join("/");
}

function pathOf(uri: string): string {
  try {
    if (uri.startsWith(PREFIX) && uri.length > PREFIX.length) {
      return decodeURIComponent(uri.slice(PREFIX.length));
    }
  } catch {
    // Falls through to the one message.
  }
  throw new RpcError(RPC.invalidParams, `uri: ${PREFIX} and a path below the workspace`);
}
