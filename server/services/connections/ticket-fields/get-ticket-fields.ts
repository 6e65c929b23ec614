import { ownValue } from "@/server/platform/json/own-value";
import { verb } from "@/server/platform/verb";
import { getTicketFieldsInput, ticketFieldsReply } from "../schemas";
import { ticketFieldsOf } from "./ticket-fields-of";

export const getTicketFields = verb(
  {
    name: "connections.getTicketFields",
    summary:
      "Read which fields of a destination's tickets Whetstone does not fill in itself, and the values stored for them.",
    description:
      "Reads the create metadata of a Jira project and issue type; other trackers have no such fields. Tickets are refused while a `required` field has no `value`. Fields with `type: null` cannot be filled in: give them a default value in Jira, or choose another issue type. A destination that the tracker refuses is a 422; without a reply from it: 503.",
    capability: "connections:manage",
    effect: "read",
    input: getTicketFieldsInput,
    reply: ticketFieldsReply,
  },
  async (ctx, input) => {
    const { destination, issueType, fields, stored } = await ticketFieldsOf(ctx, input);
    const withValues = fields.map((field) => ({ ...field, value: ownValue(stored, field.id) ?? null }));
    return { ticketFields: { destination, issueType, fields: withValues } };
  },
);
