/** A page as a tree of bounded depth. */

import { type Document, DomHandler } from "domhandler";
import { Parser } from "htmlparser2";
import { ToolError } from "../../../core/errors.ts";

/**
 * Elements in one another: browsers stop at 512, pages whose elements nobody closes come to thousands. The parser takes
 * longer for each element the deeper it stands: 200,000 took 18 seconds.
 */
const DEEPEST_PAGE = 20_000;

/** Throws RESOURCE_LIMIT for a page that is nested deeper. */
export function parsePage(html: string): Document {
  const handler = new BoundedHandler();
  new Parser(handler).end(html);
  return handler.root;
}

class BoundedHandler extends DomHandler {
  override onopentag(name: string, attribs: { [key: string]: string }): void {
    if (this.tagStack.length > DEEPEST_PAGE) {
      throw new ToolError(
        "RESOURCE_LIMIT",
        `the page has over ${DEEPEST_PAGE} elements in one another, which is not read; fetch_url with format: html ` +
          "gives its source",
        { details: { limit: DEEPEST_PAGE } },
      );
    }
    super.onopentag(name, attribs);
  }
}
