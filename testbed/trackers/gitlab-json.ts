import type { StoredTicket } from "./ticket-store";

const WEB = "https://gitlab.com/acme/shop";
const USER = { id: 1, username: "ann", name: "Ann", state: "active" };
type Mention = StoredTicket["mentions"][number];

/** Times have milliseconds. */
const iso = (time: number) => new Date(time).toISOString();

/** Returns an issue in the format of GitLab's API. */
export const gitlabIssue = (ticket: StoredTicket) => ({
  id: 84_000_000 + ticket.number,
  iid: ticket.number,
  project_id: 1,
  title: ticket.title,
  description: ticket.body || null,
  state: ticket.state,
  created_at: iso(ticket.createdAt),
  updated_at: iso(ticket.updatedAt),
  closed_at: ticket.closedAt === null ? null : iso(ticket.closedAt),
  closed_by: ticket.isDone ? USER : null,
  labels: ticket.labels,
  milestone: null,
  assignees: [],
  author: USER,
  type: "ISSUE",
  user_notes_count: ticket.comments.filter(({ system }) => !system).length,
  merge_requests_count: ticket.mentions.filter(({ kind }) => kind === "pull_request").length,
  issue_type: "issue",
  confidential: false,
  web_url: `${WEB}/-/issues/${ticket.number}`,
  references: { short: `#${ticket.number}`, relative: `#${ticket.number}`, full: `acme/shop#${ticket.number}` },
  moved_to_id: null,
});

/** Returns a project in the format of GitLab's API: a private one in which the token is a Reporter. */
export const gitlabProject = (name: string) => ({
  id: 1,
  path_with_namespace: name,
  web_url: `https://gitlab.com/${name}`,
  visibility: "private",
  archived: false,
  issues_enabled: true,
  issues_access_level: "enabled",
  permissions: { project_access: { access_level: 20, notification_level: 3 }, group_access: null },
});

export const gitlabNote = ({ id, body, system, at }: StoredTicket["comments"][number]) => ({
  id,
  type: null,
  body,
  author: USER,
  created_at: iso(at),
  updated_at: iso(at),
  system,
  noteable_type: "Issue",
  project_id: 1,
  internal: false,
});

export const gitlabMergeRequest = ({ number, title, at }: Mention) => ({
  id: number,
  iid: number,
  project_id: 1,
  title,
  state: "opened",
  created_at: iso(at),
  updated_at: iso(at),
  merged_at: null,
  closed_at: null,
  web_url: `${WEB}/-/merge_requests/${number}`,
});

export const gitlabCommit = ({ sha, title, at }: Mention) => ({
  id: sha,
  short_id: sha.slice(0, 8),
  title,
  message: `${title}\n\nWith a longer explanation.`,
  created_at: iso(at),
  web_url: `${WEB}/-/commit/${sha}`,
});
