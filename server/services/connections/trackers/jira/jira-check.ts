import { z } from "zod";
import { ownValue } from "@/server/platform/json/own-value";
import type { TicketFieldValues } from "../../schemas";
import { missingStates } from "../mapped-state";
import { fieldProblem, missingFields, missingFieldWords, ticketFieldsAt } from "../ticket-fields";
import type { TrackerOptions } from "../tracker";
import { TrackerError } from "../tracker-error";
import { type JiraApi, jiraStatus, projectKey } from "./jira-api";
import { JiraError } from "./jira-errors";
import { createFields, issueTypeOf, type JiraField, ticketFieldOf, toFill } from "./jira-fields";

/** The permissions that the account needs, and what each is for. */
const PERMISSIONS: Record<string, string> = {
  CREATE_ISSUES: "create tickets",
  ADD_COMMENTS: "comment on tickets",
  TRANSITION_ISSUES: "move tickets to another state",
};
const permissions = z.object({
  permissions: z.record(z.string(), z.object({ name: z.string(), havePermission: z.boolean() })),
});
const statuses = z.array(z.object({ statuses: z.array(jiraStatus) }));

/** Returns what would prevent creating and moving tickets in the project. */
export async function jiraProblems(
  api: JiraApi,
  destination: string | null,
  options: TrackerOptions,
): Promise<string[]> {
  await api.ask({ subject: "site" }, z.object({ displayName: z.string() }), ({ myself }) => myself.getCurrentUser());
  await api.site();
  if (destination === null) return [];
  try {
    const key = projectKey(destination);
    await api.ask({ subject: "project" }, z.object({ key: z.string() }), ({ projects }) => projects.getProject(key));
    return [
      ...(await missingPermissions(api, key)),
      ...(await creationProblems(api, key, options)),
      ...missingStates(options, key, await statesOf(api, key)),
    ];
  } catch (error) {
    if (!(error instanceof TrackerError) || error.reason !== "destination") throw error;
    return [error.message];
  }
}

async function missingPermissions({ ask }: JiraApi, key: string): Promise<string[]> {
  const { permissions: mine } = await ask({ subject: "project" }, permissions, (client) =>
    client.permissions.getMyPermissions({ projectKey: key, permissions: Object.keys(PERMISSIONS).join(",") }),
  );
  return Object.entries(PERMISSIONS).flatMap(([id, purpose]) => {
    const permission = mine[id];
    if (permission?.havePermission !== false) return [];
    return [
      `The account is not allowed to ${purpose} in ${key}. Give it the permission “${permission.name}” in that project.`,
    ];
  });
}

async function creationProblems(api: JiraApi, key: string, options: TrackerOptions): Promise<string[]> {
  const type = await issueTypeOf(api, key, options.issueType).catch((error: unknown) => {
    if (error instanceof JiraError && error.reason === "destination") return error.message;
    throw error;
  });
  if (typeof type === "string") return [type];
  const all = await createFields(api, key, type);
  const tickets = `A “${type.name}” in ${key}`;
  return [
    ...fieldProblems(all, tickets, ticketFieldsAt(options.ticketFields, key)),
    ...labelProblems(all, tickets, options),
  ];
}

function fieldProblems(all: readonly JiraField[], tickets: string, values: TicketFieldValues): string[] {
  const fields = toFill(all).map(ticketFieldOf);
  return [
    ...missingFields(fields, values).map((field) => missingFieldWords(field, tickets)),
    // Who can be chosen as a user is not asked here.
    ...fields
      .filter(({ type }) => type !== "user")
      .flatMap((field) => {
        const value = ownValue(values, field.id);
        return value === undefined ? [] : (fieldProblem(field, value) ?? []);
      }),
  ];
}

function labelProblems(all: readonly JiraField[], tickets: string, { labels }: TrackerOptions): string[] {
  const field = all.find(({ fieldId }) => fieldId === "labels");
  if (labels.length === 0)
    return field?.required && !field.hasDefaultValue ? [`${tickets} requires labels. Add one to the connection.`] : [];
  return field
    ? []
    : [
        `${tickets} is created without labels: its screen has no labels field. Add the field in Jira, or remove the labels from the connection.`,
      ];
}

async function statesOf({ ask }: JiraApi, key: string): Promise<string[]> {
  const types = await ask({ subject: "project" }, statuses, ({ projects }) => projects.getAllStatuses(key));
  return [...new Set(types.flatMap((type) => type.statuses.map(({ name }) => name)))];
}
