import { countsAsDone } from "../mapped-state";
import { ticketFieldsAt } from "../ticket-fields";
import type { MakeTracker, Ticket } from "../tracker";
import { TrackerError } from "../tracker-error";
import { idSegment, jiraApi } from "./jira-api";
import { jiraProblems } from "./jira-check";
import { addComment } from "./jira-comments";
import { createIssue } from "./jira-create";
import { ticketFields } from "./jira-fields";
import { codeReferences } from "./jira-references";
import { changedIssues, jiraIssue, markedIssue, TICKET_FIELDS, ticketOf } from "./jira-search";
import { transit } from "./jira-transitions";

/** Jira indexes a new ticket some seconds after replying, both on Cloud and on a Data Center with several nodes. */
const INDEX_LAG_MS = 60_000;

/** Jira Cloud and Data Center 8.4 or later, through version 2 of the API, which both have and which accepts wiki markup. */
export const jiraTracker: MakeTracker = (service, options) => {
  const api = jiraApi(service);

  async function read(externalId: string): Promise<Ticket> {
    const issue = await api.ask({ subject: "ticket" }, jiraIssue, ({ issues }) =>
      issues.getIssue({ issueIdOrKey: idSegment(externalId), fields: TICKET_FIELDS }),
    );
    return ticketOf(issue, (await api.site()).url);
  }

  return {
    creationLagMs: INDEX_LAG_MS,

    async create(destination, ticket) {
      const id = await createIssue(api, destination, ticket, ticketFieldsAt(options.ticketFields, destination));
      return read(id).catch((error: unknown) => {
        if (!(error instanceof TrackerError)) throw error;
        // The ticket exists; only its state is not known yet.
        throw new TrackerError("unavailable", error.message, { retryAt: error.retryAt, ambiguous: true });
      });
    },

    async findCreated(destination, marker, since) {
      const issue = await markedIssue(api, destination, marker, since);
      return issue === null ? null : ticketOf(issue, (await api.site()).url);
    },

    read: (_destination, externalId) => read(externalId),

    async changedSince(destination, since) {
      const issues = await changedIssues(api, destination, since);
      const { url } = await api.site();
      return issues.map((issue) => ticketOf(issue, url));
    },

    async setDone(_destination, externalId, done) {
      const ticket = await read(externalId);
      if (countsAsDone(options, { name: ticket.state, isDone: ticket.isDone }) === done) return ticket;
      await transit(api, ticket, done, options);
      return read(externalId);
    },

    comment: (_destination, externalId, { body, marker }) => addComment(api, externalId, body, marker),

    references: (_destination, externalId) => codeReferences(api, externalId),

    check: (destination) => jiraProblems(api, destination, options),

    fields: (destination, { issueType = options.issueType, values }) =>
      ticketFields(api, destination, { issueType, values }),
  };
};
