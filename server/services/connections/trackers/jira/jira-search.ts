import { z } from "zod";
import { MINUTE_MS } from "@/server/platform/durations";
import type { Ticket } from "../tracker";
import { idSegment, type JiraApi, jiraStatus, jiraTime, projectKey } from "./jira-api";
import { JiraError } from "./jira-errors";

/** The entity property of tickets and comments that stores our marker. People do not see it. */
export const PROPERTY = "whetstone";
export const markerProperty = (marker: string) => ({ key: PROPERTY, value: { marker } });
export const markerValue = z.object({ marker: z.string() }).transform(({ marker }) => marker);

export const TICKET_FIELDS = ["status", "updated"];
export const jiraIssue = z.object({
  id: z.string(),
  key: z.string(),
  fields: z.object({ status: jiraStatus, updated: jiraTime }),
  properties: z.object({ [PROPERTY]: markerValue.optional().catch(undefined) }).optional(),
});
export type JiraIssue = z.output<typeof jiraIssue>;

export const ticketOf = ({ id, key, fields: { status, updated } }: JiraIssue, siteUrl: string): Ticket => ({
  externalId: id,
  key,
  url: `${siteUrl}/browse/${key}`,
  state: status.name,
  isDone: status.isDone,
  updatedAt: updated,
});

/** Margin for the difference between Jira's clock and ours. */
const CLOCK_MINUTES = 5;
const PAGE = 100;

/**
 * Returns the JQL for tickets of a project whose time is after `time`. JQL's absolute times are in the account's time zone and
 * have minute precision, so this uses a time relative to Jira's own clock, rounded towards the past.
 */
function since(project: string, field: "created" | "updated", time: number, more = ""): string {
  const minutes = Math.max(0, Math.ceil((Date.now() - time) / MINUTE_MS)) + CLOCK_MINUTES;
  // In this order, a ticket that enters the result during paging does not hide another.
  return `project = "${projectKey(project)}" AND ${field} >= -${minutes}m${more} ORDER BY created ASC`;
}

const cloudPage = z.object({ issues: z.array(jiraIssue), nextPageToken: z.string().nullish() });
const serverPage = z.object({ issues: z.array(jiraIssue), total: z.number() });

async function search({ ask, site }: JiraApi, jql: string): Promise<JiraIssue[]> {
  const { isCloud } = await site();
  const query = { jql, maxResults: PAGE, fields: TICKET_FIELDS, properties: [PROPERTY] };
  const found = new Map<string, JiraIssue>();
  const add = (issues: readonly JiraIssue[]) => {
    for (const issue of issues) found.set(issue.id, issue);
  };
  if (isCloud) {
    let token: string | null | undefined;
    do {
      const page: z.output<typeof cloudPage> = await ask({ subject: "project" }, cloudPage, (client) =>
        client.search.searchForIssuesUsingJqlEnhancedSearch({ ...query, ...(token && { nextPageToken: token }) }),
      );
      add(page.issues);
      token = page.nextPageToken;
    } while (token);
  } else {
    for (let startAt = 0, total = 1; startAt < total; ) {
      const page = await ask({ subject: "project" }, serverPage, (client) =>
        client.search.searchForIssuesUsingJql({ ...query, startAt }),
      );
      add(page.issues);
      startAt += page.issues.length;
      total = page.issues.length === 0 ? 0 : page.total;
    }
  }
  return [...found.values()];
}

/** Returns the project's tickets that changed since `time`. */
export async function changedIssues(api: JiraApi, project: string, time: number): Promise<JiraIssue[]> {
  const issues = await search(api, since(project, "updated", time));
  return issues.filter(({ fields }) => fields.updated >= time);
}

/** Returns our ticket with this marker among those created since `time`. */
export async function markedIssue(api: JiraApi, project: string, marker: string, time: number) {
  // Filters by creator because it never changes, while the reporter can.
  const issues = await search(api, since(project, "created", time, " AND creator = currentUser()"));
  for (const issue of issues) if ((await markerOf(api, issue)) === marker) return issue;
  return null;
}

/** Returns a ticket's marker. A Data Center's search omits properties, so there it is read separately. */
async function markerOf({ ask }: JiraApi, { id, properties }: JiraIssue): Promise<string | undefined> {
  if (properties !== undefined) return properties[PROPERTY];
  const property = await ask(
    { subject: "ticket" },
    z.object({ value: markerValue.optional().catch(undefined) }),
    (client) => client.properties.getIssueProperty({ issueIdOrKey: idSegment(id), propertyKey: PROPERTY }),
  ).catch((error: unknown) => {
    if (error instanceof JiraError && error.reason === "gone") return undefined;
    throw error;
  });
  return property?.value;
}
