import type { Ctx } from "@/server/platform/context";
import { ServiceError, unprocessable } from "@/server/platform/errors";
import { missingFields, missingFieldWords } from "../trackers/ticket-fields";
import { ticketFieldsOf } from "./ticket-fields-of";

/**
 * Throws if a destination requires fields that have no value, because every ticket would be refused. A tracker that does not
 * reply, or refuses the question, says so when a ticket is created. Must not be called in a transaction.
 */
export async function requireTicketFields(ctx: Ctx, input: { connectionId: string; destination: string }) {
  const found = await ticketFieldsOf(ctx, input).catch((error: unknown) => {
    if (error instanceof ServiceError) return undefined;
    throw error;
  });
  if (found === undefined) return;
  const { destination, issueType, fields, stored } = found;
  const missing = missingFields(fields, stored);
  if (missing.length === 0) return;
  const tickets = `A “${issueType}” in ${destination}`;
  throw unprocessable("/destination", missing.map((field) => missingFieldWords(field, tickets)).join(" "));
}
