import type { FieldError } from "@/server/platform/errors";
import { ServiceError } from "@/server/platform/errors";
import { validateChatPayload } from "../chat-payload";
import type { ChatPayload } from "../chat-payload/schemas";
import type { Outcome } from "./types";

/** Returns a payload, or its problems with pointers into the request, whose payload is at `at`. */
export function payloadAt(at: string, value: unknown): { payload: ChatPayload } | { errors: FieldError[] } {
  const checked = validateChatPayload(value);
  if ("payload" in checked) return checked;
  return { errors: checked.problems.map(({ path, message }) => ({ path: `${at}${path}`, message })) };
}

/** Returns a payload, or throws `invalid` with all its problems. */
export function checkedPayload(value: unknown): ChatPayload {
  const checked = payloadAt("/payload", value);
  if ("payload" in checked) return checked.payload;
  throw new ServiceError("invalid", "The payload is not valid.", { errors: checked.errors });
}

/** Returns the message that names the existing Example. */
export const duplicateMessage = ({ exampleId, of }: Outcome & { status: "duplicate" }) =>
  of === "content"
    ? `Example ${exampleId} of this Dataset has the same content. Change that one, or this payload.`
    : `Example ${exampleId} of this Dataset has the same source.`;

/** Returns the id of the Example that a manual change was about; throws a 404 or a 409 if the change was not made. */
export function writtenId(outcome: Outcome | undefined): string {
  if (outcome === undefined || outcome.status === "missing") {
    throw new ServiceError("not_found", "The Example was not found.");
  }
  if (outcome.status !== "duplicate") return outcome.exampleId;
  const message = duplicateMessage(outcome);
  throw new ServiceError("conflict", message, { errors: [{ path: "/payload", message }] });
}
