import { PAYLOAD_FIELDS } from "../chat-payload";
import type { RowProblem } from "./check-row";

/** The names that may occur in a problem's pointer, besides indexes: those of our own fields. */
const NAMES: ReadonlySet<string> = new Set([
  ...PAYLOAD_FIELDS,
  ...[
    "",
    "tags",
    "split",
    "objective",
    "source",
    "kind",
    "externalRef",
    "conversationId",
    "userId",
    "turn",
    "findingId",
  ],
]);

/**
 * Returns a row's problem without anything quoted from the row, such as the name of an unknown field: problems stay in the
 * project after the row's conversation is deleted.
 */
export function withoutQuote({ path, message }: RowProblem): RowProblem {
  if (path === null)
    return { path, message: message.match(/^Is not (?:JSON|CSV)|^Is no format we know/)?.[0] ?? message };
  const names = path.split("/").map((name) => (NAMES.has(name) || /^\d+$/.test(name) ? name : "…"));
  return { path: names.join("/"), message };
}
