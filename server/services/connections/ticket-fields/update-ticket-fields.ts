import { and, eq } from "drizzle-orm";
import { NOW } from "@/db/now";
import { connections } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { ServiceError, unprocessable } from "@/server/platform/errors";
import { pointerOf } from "@/server/platform/field-errors";
import { verb } from "@/server/platform/verb";
import { audited, connectionJson } from "../connection-json";
import { pollProblems } from "../poll-problems";
import { lockConnection } from "../read-connection";
import { connectionReply, type TicketField, type TicketFieldValue, updateTicketFieldsInput } from "../schemas";
import { fieldProblem, fieldsKey, ticketFieldsAt } from "../trackers/ticket-fields";
import { ticketFieldsOf } from "./ticket-fields-of";

const DESTINATIONS_MAX = 100;

export const updateTicketFields = verb(
  {
    name: "connections.updateTicketFields",
    summary: "Store what new tickets get in fields of a destination that Whetstone does not fill in itself.",
    description:
      "`values` by field id: a text, a number, the id of an option or user, or a list of ids or labels, as `GET …/ticket-fields` says. Each is checked against the tracker's metadata (422). `null` removes a value; fields that are not given keep theirs. Tickets created from then on have the values. Sets `lastTest` to null.",
    capability: "connections:manage",
    effect: "write",
    input: updateTicketFieldsInput,
    reply: connectionReply,
  },
  {
    before: async (ctx, { connectionId, destination, values }) => {
      const given = Object.fromEntries(entriesOf(values));
      // A value can be removed even if the destination is gone.
      if (destination !== undefined && Object.keys(given).length === 0) return { key: fieldsKey(destination) };
      const found = await ticketFieldsOf(ctx, { connectionId, destination }, given);
      requireValid(found.fields, given);
      return { key: fieldsKey(found.destination) };
    },
    run: async (ctx, { connectionId, values }, { key }) => {
      const before = await lockConnection(ctx, connectionId);
      const kept = Object.entries(ticketFieldsAt(before.ticketFields, key)).filter(
        ([id]) => !Object.hasOwn(values, id),
      );
      const { [key]: _, ...others } = before.ticketFields;
      const all = [...kept, ...entriesOf(values)];
      const ticketFields = all.length === 0 ? others : { ...others, [key]: Object.fromEntries(all) };
      if (Object.keys(ticketFields).length > DESTINATIONS_MAX)
        throw unprocessable("/destination", `A connection stores fields of at most ${DESTINATIONS_MAX} destinations.`);
      const [row] = await ctx.db
        .update(connections)
        .set({ ticketFields, lastTest: null, updatedAt: NOW })
        .where(and(eq(connections.projectId, ctx.projectId), eq(connections.id, connectionId)))
        .returning();
      if (!row) throw new Error("The update of a locked connection returned no row.");
      auditNote(ctx, { before: audited(before), after: audited(row) });
      return { connection: connectionJson(row, (await pollProblems(ctx, [connectionId])).get(connectionId)) };
    },
  },
);

const entriesOf = (values: Readonly<Record<string, TicketFieldValue | null>>) =>
  Object.entries(values).flatMap(([id, value]): [string, TicketFieldValue][] => (value === null ? [] : [[id, value]]));

function requireValid(fields: readonly TicketField[], values: Readonly<Record<string, TicketFieldValue>>) {
  const known = new Map(fields.map((field) => [field.id, field]));
  const errors = Object.entries(values).flatMap(([id, value]) => {
    const field = known.get(id);
    const message = field
      ? fieldProblem(field, value)
      : "The destination's tickets have no such field, or Whetstone cannot fill it in.";
    return message === undefined ? [] : [{ path: pointerOf(["values", id]), message }];
  });
  if (errors.length > 0) throw new ServiceError("unprocessable", "Some values do not fit their fields.", { errors });
}
