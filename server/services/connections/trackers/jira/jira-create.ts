import { z } from "zod";
import { sameName } from "../mapped-state";
import type { NewTicket } from "../tracker";
import { quotedWords, TrackerError } from "../tracker-error";
import { type JiraApi, projectKey } from "./jira-api";
import { JiraError } from "./jira-errors";
import { jiraMarkup } from "./jira-markup";
import { markerProperty } from "./jira-search";

const SUMMARY_MAX = 255;
/** Fields of a ticket that are filled by us or by Jira. */
const FILLED: ReadonlySet<string> = new Set(["project", "issuetype", "summary", "description", "labels", "reporter"]);

const issueType = z.object({ id: z.string(), name: z.string(), subtask: z.boolean() });
export type JiraIssueType = z.output<typeof issueType>;
const field = z.object({
  fieldId: z.string(),
  name: z.string(),
  required: z.boolean(),
  hasDefaultValue: z.boolean().catch(false),
});
export type JiraField = z.output<typeof field>;

// The lists have different names on Cloud and on Data Center.
const issueTypes = z.union([
  z.object({ issueTypes: z.array(issueType) }).transform((reply) => reply.issueTypes),
  z.object({ values: z.array(issueType) }).transform((reply) => reply.values),
]);
const fields = z.union([
  z.object({ fields: z.array(field) }).transform((reply) => reply.fields),
  z.object({ values: z.array(field) }).transform((reply) => reply.values),
]);

/** Returns the issue type with this name, or the project's first one that is not a sub-task. */
export async function issueTypeOf({ ask }: JiraApi, project: string, name: string | null): Promise<JiraIssueType> {
  const key = projectKey(project);
  const types = await ask({ about: "project" }, issueTypes, ({ issues }) =>
    issues.getCreateIssueMetaIssueTypes({ projectIdOrKey: key, maxResults: 200 }),
  );
  const ordinary = types.filter(({ subtask }) => !subtask);
  const found = name === null ? ordinary[0] : ordinary.find((type) => sameName(type.name, name));
  if (found) return found;
  if (ordinary.length === 0) {
    throw new JiraError(
      "destination",
      `The account cannot create tickets in ${key}. Give it the permission “Create issues” there.`,
    );
  }
  const names = ordinary.map((type) => type.name).join(", ");
  throw new JiraError(
    "destination",
    `${key} has no issue type “${name}”. It has: ${names}. Choose one in the connection.`,
  );
}

/** Returns the fields of the screen on which tickets of this type are created. */
export const createFields = ({ ask }: JiraApi, project: string, type: JiraIssueType): Promise<JiraField[]> =>
  ask({ about: "project" }, fields, ({ issues }) =>
    issues.getCreateIssueMetaIssueTypeId({
      projectIdOrKey: projectKey(project),
      issueTypeId: encodeURIComponent(type.id),
      maxResults: 200,
    }),
  );

/** Returns the required fields that we cannot fill. */
export const unfilled = (all: readonly JiraField[]) =>
  all.filter(({ required, hasDefaultValue, fieldId }) => required && !hasDefaultValue && !FILLED.has(fieldId));

/** Creates a ticket and returns its id. The same request sets the marker, so every ticket of ours has one. */
export async function createIssue(api: JiraApi, destination: string, ticket: NewTicket): Promise<string> {
  const type = await issueTypeOf(api, destination, ticket.issueType);
  // Jira's labels cannot contain spaces.
  const labels = ticket.labels.map((label) => label.trim().replaceAll(/\s+/g, "-"));
  const send = (given: { labels?: string[] }) =>
    api.ask({ about: "project", isWrite: true }, z.object({ id: z.string() }), ({ issues }) =>
      issues.createIssue({
        fields: {
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

/** Returns the error with readable field names: Jira refers to custom fields by number. */
async function inWordsOf(api: JiraApi, destination: string, type: JiraIssueType, error: JiraError) {
  const complaints = Object.entries(error.fields);
  if (complaints.length === 0) return error;
  const known = await createFields(api, destination, type).catch((failed: unknown) => {
    if (failed instanceof TrackerError) return [];
    throw failed;
  });
  const said = complaints.map(([id, text]) => {
    const name = known.find(({ fieldId }) => fieldId === id)?.name ?? id;
    return text.toLowerCase().includes(name.toLowerCase()) ? text : `${name}: ${text}`;
  });
  return new JiraError(
    "destination",
    `Jira rejected a “${type.name}” in ${destination}${quotedWords(said.join(" "))}. Give the field a default value in Jira, or choose another issue type.`,
    error.fields,
    error.status,
  );
}
