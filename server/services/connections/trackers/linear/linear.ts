import { createHash } from "node:crypto";
import { v4 } from "uuid";
import type { z } from "zod";
import { codeLinkKind } from "../code-link";
import { countsAsDone } from "../mapped-state";
import type { CodeReference, MakeTracker, Ticket } from "../tracker";
import { linearRequest } from "./linear-api";
import {
  ATTACHMENTS,
  CHANGED_ISSUES,
  CREATE_COMMENT,
  CREATE_ISSUE,
  type LinearIssue,
  READ_ISSUE,
  READ_ISSUE_AND_TEAM,
  UPDATE_ISSUE,
  VIEWER,
} from "./linear-documents";
import { LinearError, ticketGone } from "./linear-errors";
import { labelIdsFor, linearTeam, noSuchTeam, stateFor, teamProblems, unusableLabels } from "./linear-team";

/**
 * Returns the id for a ticket or comment with this marker. Linear accepts client-generated ids and refuses duplicates, which
 * makes creation idempotent. The ids must look like version 4 UUIDs, which rules out version 5, the one meant for hashed names.
 */
function idOf(what: "issue" | "comment", marker: string): string {
  return v4({ random: createHash("sha256").update(`whetstone ${what} ${marker}`).digest().subarray(0, 16) });
}

/** Linear: one GraphQL document per call, sent through the connection. */
export const linearTracker: MakeTracker = (service, options) => {
  const ask = linearRequest(service);

  async function find(id: string): Promise<Ticket | null> {
    const { issue } = await ask(READ_ISSUE, { id }).catch((error: unknown) => {
      if (error instanceof LinearError && error.reason === "gone") return { issue: null };
      throw error;
    });
    return issue === null || issue.trashed ? null : ticketOf(issue);
  }

  async function read(id: string): Promise<Ticket> {
    const found = await find(id);
    if (found === null) throw ticketGone();
    return found;
  }

  return {
    creationLagMs: 0,

    async create(destination, { title, body, labels, marker }) {
      const id = idOf("issue", marker);
      const team = await linearTeam(ask, destination);
      const labelIds = await labelIdsFor(ask, team, labels);
      const input = { id, teamId: team.id, title, description: body, labelIds };
      const created = await ask(CREATE_ISSUE, { input }).catch((error: unknown) => {
        if (isRepetition(error)) return undefined;
        throw error;
      });
      return created === undefined ? read(id) : ticketOf(created.issueCreate.issue);
    },

    findCreated: (_destination, marker) => find(idOf("issue", marker)),

    read: (_destination, externalId) => read(externalId),

    async changedSince(destination, since) {
      const team = { key: { eqIgnoreCase: destination } };
      const filter = { team, updatedAt: { gte: new Date(since) } };
      const changed: LinearIssue[] = [];
      let after: string | null = null;
      do {
        const page: z.output<typeof CHANGED_ISSUES.reply> = await ask(CHANGED_ISSUES, { team, filter, after });
        if (page.found.nodes.length === 0) throw noSuchTeam(destination, page.teams.nodes);
        changed.push(...page.issues.nodes);
        const { hasNextPage, endCursor } = page.issues.pageInfo;
        after = hasNextPage ? endCursor : null;
      } while (after !== null);
      return changed.filter(({ trashed }) => !trashed).map(ticketOf);
    },

    async setDone(_destination, externalId, done) {
      const { issue } = await ask(READ_ISSUE_AND_TEAM, { id: externalId });
      if (issue === null || issue.trashed) throw ticketGone();
      if (countsAsDone(options, issue.state) === done) return ticketOf(issue);
      const { id: stateId } = stateFor(issue.team, options, done);
      const { issueUpdate } = await ask(UPDATE_ISSUE, { id: externalId, input: { stateId } });
      return ticketOf(issueUpdate.issue);
    },

    async comment(_destination, issueId, { body, marker }) {
      await ask(CREATE_COMMENT, { input: { id: idOf("comment", marker), issueId, body } }).catch((error: unknown) => {
        if (!isRepetition(error)) throw error;
      });
    },

    async references(_destination, externalId) {
      const { issue } = await ask(ATTACHMENTS, { id: externalId });
      if (issue === null || issue.trashed) throw ticketGone();
      return issue.attachments.nodes.flatMap(({ url, title, metadata, createdAt }): CodeReference[] => {
        const kind = codeLinkKind(url);
        if (kind === undefined) return [];
        return [
          { kind, url, title, state: kind === "commit" ? null : pullRequestState(metadata.status), at: createdAt },
        ];
      });
    },

    async check(destination) {
      await ask(VIEWER, {});
      if (destination === null) return [];
      const team = await linearTeam(ask, destination).catch((error: unknown) => {
        if (error instanceof LinearError && error.refusal?.entity === "Team") return error.message;
        throw error;
      });
      if (typeof team === "string") return [team];
      return [...teamProblems(team, options), ...(await unusableLabels(ask, team, options.labels))];
    },
  };
};

const isRepetition = (error: unknown) => error instanceof LinearError && error.refusal?.problem === "exists";

const ticketOf = ({ id, identifier, url, state, updatedAt }: LinearIssue): Ticket => ({
  externalId: id,
  key: identifier,
  url,
  state: state.name,
  isDone: state.isDone,
  updatedAt,
});

/** Returns a pull request's state, which Linear's integrations write into the attachment's metadata. */
function pullRequestState(status: string | undefined): CodeReference["state"] {
  if (status === undefined) return null;
  return status === "merged" || status === "closed" ? status : "open";
}
