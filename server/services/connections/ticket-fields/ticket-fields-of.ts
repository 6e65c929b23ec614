import type { Ctx } from "@/server/platform/context";
import { ServiceError, unprocessable } from "@/server/platform/errors";
import { openTracker } from "../trackers/open-tracker";
import { ticketFieldsAt } from "../trackers/ticket-fields";
import type { FieldOptions } from "../trackers/tracker";
import { TrackerError } from "../trackers/tracker-error";

type Input = { connectionId: string; destination?: string | undefined; issueType?: string | undefined };

/**
 * Reads the fields that a destination has beyond ours, with the values stored for it. `values` are about to be stored. Must not
 * be called in a transaction.
 */
export async function ticketFieldsOf(ctx: Ctx, input: Input, values: FieldOptions["values"] = {}) {
  const { tracker, settings, ticketFields } = await openTracker(ctx, input.connectionId, "read fields");
  const destination = input.destination ?? settings.defaultDestination;
  if (destination === null)
    throw unprocessable("/destination", "Enter a destination, or give the connection a default one.");
  const stored = ticketFieldsAt(ticketFields, destination);
  if (tracker.fields === undefined) return { destination, issueType: null, fields: [], stored };
  try {
    const options = { issueType: input.issueType, values: { ...stored, ...values } };
    return { destination, stored, ...(await tracker.fields(destination, options)) };
  } catch (error) {
    throw error instanceof TrackerError ? refusal(error) : error;
  }
}

function refusal({ reason, message }: TrackerError): ServiceError {
  if (reason === "destination") return unprocessable("/destination", message);
  return reason === "credential" ? unprocessable("/connectionId", message) : new ServiceError("unavailable", message);
}
