import { z } from "zod";
import type { TicketFieldValues } from "../../schemas";
import type { NewTicket } from "../tracker";
import { quotedWords, TrackerError } from "../tracker-error";
import { type JiraApi, projectKey } from "./jira-api";
import { JiraError } from "./jira-errors";
import { createFields, fieldsToSend, issueTypeOf, type JiraIssueType, ticketFieldOf } from "./jira-fields";
import { jiraMarkup } from "./jira-markup";
import { markerProperty } from "./jira-search";

const SUMMARY_MAX = 255;
/** Creates a ticket and returns its id. The same request sets the marker, so every ticket of ours has one. */
export async function createIssue(
  api: JiraApi,
  destination: string,
  ticket: NewTicket,
  values: TicketFieldValues,
): Promise<string> {
  const type = await issueTypeOf(api, destination, ticket.issueType);
  const own = await fieldsToSend(api, destination, type, values);
  // Jira's labels cannot contain spaces.
  const labels = ticket.labels.map((label) => label.trim().replaceAll(/\s+/g, "-"));
  const send = (given: { labels?: string[] }) =>
    api.ask({ subject: "project", isWrite: true }, z.object({ id: z.string() }), ({ issues }) =>
      issues.createIssue({
        fields: {
          ...own,
          project: { key: projectKey(destination) },
          issuetype: { id: type.id },
          summary: ticket.title.replaceAll(/\s+/g, " ").trim().slice(0, SUMMARY_MAX),
          description: jiraMarkup(ticket.body),
          ...given,
        },
        properties: [markerProperty(ticket.marker)],
      }),
    );
  try {
    return (await send(labels.length > 0 ? { labels } : {})).id;
  } catch (error) {
    if (!(error instanceof JiraError) || error.status !== 400) throw error;
    // Not every screen has labels; a ticket without labels is better than none.
    if (Object.keys(error.fields).join() === "labels") return (await send({})).id;
    throw await inWordsOf(api, destination, type, error);
  }
}

/** Returns the error with readable field names, because Jira refers to custom fields by number, and with what to do. */
async function inWordsOf(api: JiraApi, destination: string, type: JiraIssueType, error: JiraError) {
  const complaints = Object.entries(error.fields);
  if (complaints.length === 0) return error;
  const known = await createFields(api, destination, type).catch((failed: unknown) => {
    if (failed instanceof TrackerError) return [];
    throw failed;
  });
  const named = complaints.map(([id, text]) => ({ text, field: known.find(({ fieldId }) => fieldId === id), id }));
  const said = named.map(({ text, field, id }) => {
    const name = field?.name ?? id;
    return text.toLowerCase().includes(name.toLowerCase()) ? text : `${name}: ${text}`;
  });
  const canFill = named.every(({ field }) => field !== undefined && ticketFieldOf(field).type !== null);
  const advice = canFill
    ? "Enter its value in the connection, or give the field a default value in Jira."
    : "Give the field a default value in Jira, or choose another issue type.";
  return new JiraError(
    "destination",
    `Jira rejected a “${type.name}” in ${destination}${quotedWords(said.join(" "))}. ${advice}`,
    error.fields,
    error.status,
  );
}
