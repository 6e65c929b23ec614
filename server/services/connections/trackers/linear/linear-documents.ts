import type { LinearDocument as L } from "@linear/sdk";
import { z } from "zod";
import { linearDocument } from "./linear-api";

/** Types of workflow states that Linear itself counts as done. */
const DONE_TYPES: ReadonlySet<string> = new Set(["completed", "canceled", "duplicate"]);

const STATE = "id name type position";
const state = z
  .object({ id: z.string(), name: z.string(), type: z.string(), position: z.number() })
  .transform((one) => ({ ...one, isDone: DONE_TYPES.has(one.type) }));
export type LinearState = z.output<typeof state>;

const TEAM = `id key defaultIssueState { id } states(first: 100) { nodes { ${STATE} } }`;
const team = z.object({
  id: z.string(),
  key: z.string(),
  defaultIssueState: z.object({ id: z.string() }).nullish(),
  states: z.object({ nodes: z.array(state) }),
});
export type LinearTeam = z.output<typeof team>;

const ISSUE = `id identifier url updatedAt trashed state { ${STATE} }`;
const issue = z.object({
  id: z.string(),
  identifier: z.string(),
  url: z.string(),
  updatedAt: z.iso.datetime({ offset: true }).transform((time) => Date.parse(time)),
  trashed: z.boolean().nullish(),
  state,
});
export type LinearIssue = z.output<typeof issue>;

const keys = z.object({ nodes: z.array(z.object({ key: z.string() })) });
const TEAM_KEYS = "teams(first: 100) { nodes { key } }";

export const TEAM_BY_KEY = linearDocument<{ team: L.TeamFilter }>()(
  `query Team($team: TeamFilter!) { found: teams(filter: $team, first: 1) { nodes { ${TEAM} } } ${TEAM_KEYS} }`,
  z.object({ found: z.object({ nodes: z.array(team) }), teams: keys }),
);

export const VIEWER = linearDocument<Record<never, never>>()(
  "query Viewer { viewer { id } }",
  z.object({ viewer: z.object({ id: z.string() }) }),
);

export const LABELS = linearDocument<{ filter: L.IssueLabelFilter }>()(
  "query Labels($filter: IssueLabelFilter!) { issueLabels(filter: $filter, first: 100) { nodes { id name isGroup } } }",
  z.object({
    issueLabels: z.object({ nodes: z.array(z.object({ id: z.string(), name: z.string(), isGroup: z.boolean() })) }),
  }),
);

export const CREATE_LABEL = linearDocument<{ input: L.IssueLabelCreateInput }>()(
  "mutation CreateLabel($input: IssueLabelCreateInput!) { issueLabelCreate(input: $input) { issueLabel { id } } }",
  z.object({ issueLabelCreate: z.object({ issueLabel: z.object({ id: z.string() }) }) }),
);

export const READ_ISSUE = linearDocument<{ id: string }>()(
  `query Issue($id: String!) { issue(id: $id) { ${ISSUE} } }`,
  z.object({ issue: issue.nullable() }),
);

export const READ_ISSUE_AND_TEAM = linearDocument<{ id: string }>()(
  `query IssueAndTeam($id: String!) { issue(id: $id) { ${ISSUE} team { ${TEAM} } } }`,
  z.object({ issue: issue.extend({ team }).nullable() }),
);

export const CREATE_ISSUE = linearDocument<{ input: L.IssueCreateInput }>()(
  `mutation CreateIssue($input: IssueCreateInput!) { issueCreate(input: $input) { issue { ${ISSUE} } } }`,
  z.object({ issueCreate: z.object({ issue }) }),
);

export const UPDATE_ISSUE = linearDocument<{ id: string; input: L.IssueUpdateInput }>()(
  `mutation UpdateIssue($id: String!, $input: IssueUpdateInput!) {
    issueUpdate(id: $id, input: $input) { issue { ${ISSUE} } }
  }`,
  z.object({ issueUpdate: z.object({ issue }) }),
);

export const CREATE_COMMENT = linearDocument<{ input: L.CommentCreateInput }>()(
  "mutation CreateComment($input: CommentCreateInput!) { commentCreate(input: $input) { success } }",
  z.object({ commentCreate: z.object({ success: z.literal(true) }) }),
);

/** Archived issues are included: Linear archives finished issues by itself. */
export const CHANGED_ISSUES = linearDocument<{ team: L.TeamFilter; filter: L.IssueFilter; after: string | null }>()(
  `query ChangedIssues($team: TeamFilter!, $filter: IssueFilter!, $after: String) {
    found: teams(filter: $team, first: 1) { nodes { key } }
    ${TEAM_KEYS}
    issues(filter: $filter, after: $after, first: 100, orderBy: updatedAt, includeArchived: true) {
      nodes { ${ISSUE} }
      pageInfo { hasNextPage endCursor }
    }
  }`,
  z.object({
    found: keys,
    teams: keys,
    issues: z.object({
      nodes: z.array(issue),
      pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() }),
    }),
  }),
);

export const ATTACHMENTS = linearDocument<{ id: string }>()(
  `query Attachments($id: String!) {
    issue(id: $id) {
      trashed
      attachments(first: 100) { nodes { url title sourceType metadata createdAt } }
    }
  }`,
  z.object({
    issue: z
      .object({
        trashed: z.boolean().nullish(),
        attachments: z.object({
          nodes: z.array(
            z.object({
              url: z.string(),
              title: z.string(),
              sourceType: z.string().nullish(),
              metadata: z.object({ status: z.string().optional().catch(undefined) }).catch({}),
              createdAt: z.iso.datetime({ offset: true }).transform((time) => Date.parse(time)),
            }),
          ),
        }),
      })
      .nullable(),
  }),
);
