import { PAYLOAD_FIELDS } from "../chat-payload";
import type { RowProblem } from "./check-row";

/** The names that a problem's pointer may have, beside indexes: those of our own fields. */
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
 * Returns a row's problem without what it quotes of the row, such as the name of a field that is not ours: problems stay in the
 * project when the row's conversation is deleted.
 */
export function withoutQuote({ path, message }: RowProblem): RowProblem {
  if (path === null)
    return { path, message: message.match(/^Is not (?:JSON|CSV)|^Is no format we know/)?.[0] ?? message };
  const names = path.split("/").map((name) => (NAMES.has(name) || /^\d+$/.test(name) ? name : "…"));
  return { path: names.join("/"), message };
}
