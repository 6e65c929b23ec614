import type { RestReply } from "./rest-service";
import type { StoredTicket } from "./ticket-store";

const WEB = "https://github.com";
const DOCS = "https://docs.github.com/rest";
const iso = (time: number) => `${new Date(time).toISOString().slice(0, 19)}Z`;

/** Returns a reply in the format of GitHub's errors. */
export const githubMessage = (status: number, text: string, more: object = {}): RestReply => ({
  status,
  body: { message: text, ...more, documentation_url: DOCS, status: String(status) },
});

/** Returns an issue of a repository in the format of GitHub's API. */
export function githubIssue(ticket: StoredTicket, baseUrl: string, repository = "acme/shop") {
  const { number, title, body, state, stateReason, labels, comments, createdAt, updatedAt, closedAt } = ticket;
  const repositoryUrl = `${baseUrl}/repos/${repository}`;
  const url = `${repositoryUrl}/issues/${number}`;
  const pull = { url: `${repositoryUrl}/pulls/${number}`, html_url: `${WEB}/${repository}/pull/${number}` };
  return {
    url,
    repository_url: repositoryUrl,
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    html_url: ticket.isPullRequest ? pull.html_url : `${WEB}/${repository}/issues/${number}`,
    id: 4_000_000 + number,
    node_id: `I_${number}`,
    number,
    title,
    user: { login: "ann", id: 1, type: "User" },
    labels: labels.map((name, index) => ({ id: index + 1, name, color: "ededed", default: false, description: null })),
    state,
    locked: false,
    assignee: null,
    assignees: [],
    milestone: null,
    comments: comments.length,
    created_at: iso(createdAt),
    updated_at: iso(updatedAt),
    closed_at: closedAt === null ? null : iso(closedAt),
    author_association: "MEMBER",
    active_lock_reason: null,
    body: body || null,
    reactions: { url: `${url}/reactions`, total_count: 0 },
    timeline_url: `${url}/timeline`,
    performed_via_github_app: null,
    state_reason: stateReason,
    ...(ticket.isPullRequest && { draft: false, pull_request: { ...pull, merged_at: null } }),
  };
}

/** Returns a repository in the format of GitHub's API: a private one that the token may write to. */
export const githubRepository = (name: string, baseUrl: string) => ({
  id: 1,
  name: name.split("/")[1],
  full_name: name,
  private: true,
  owner: { login: name.split("/")[0], id: 2, type: "Organization" },
  html_url: `${WEB}/${name}`,
  url: `${baseUrl}/repos/${name}`,
  has_issues: true,
  archived: false,
  disabled: false,
  permissions: { admin: false, maintain: false, push: true, triage: true, pull: true },
});

/** Returns an issue's timeline: its comments, the code that refers to it, and its closing. */
export function githubTimeline(ticket: StoredTicket, baseUrl: string) {
  const mentions = ticket.mentions.map(({ kind, title, sha, number, at }) => {
    const actor = { login: "ann", id: 1 };
    if (kind === "commit")
      return {
        event: "referenced",
        actor,
        commit_id: sha,
        commit_url: `${baseUrl}/repos/acme/shop/commits/${sha}`,
        created_at: iso(at),
      };
    const pull = { ...ticket, isPullRequest: true, number, title, state: "open", mentions: [], comments: [] };
    const source = { type: "issue", issue: githubIssue(pull, baseUrl) };
    return { event: "cross-referenced", actor, source, created_at: iso(at), updated_at: iso(at) };
  });
  const comments = ticket.comments.map(({ id, body, at }) => ({ event: "commented", id, body, created_at: iso(at) }));
  const closed = { event: "closed", commit_id: null, commit_url: null, created_at: iso(ticket.closedAt ?? 0) };
  return [...comments, ...mentions, ...(ticket.isDone ? [closed] : [])];
}

export const githubCommit = ({ sha, title, at }: StoredTicket["mentions"][number], baseUrl: string) => ({
  sha,
  url: `${baseUrl}/repos/acme/shop/commits/${sha}`,
  html_url: `${WEB}/acme/shop/commit/${sha}`,
  commit: { message: `${title}\n\nWith a longer explanation.`, committer: { name: "Ann", date: iso(at) } },
});
