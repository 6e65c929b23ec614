import { z } from "zod";
import type { Subject } from "../failed-reply";
import type { CodeReference } from "../tracker";
import { TrackerError } from "../tracker-error";
import { type GitlabApi, PAGE } from "./gitlab-api";

/** At most this many commits of a ticket, the latest, have their message read. */
const COMMITS_MAX = 20;
/** A note that GitLab writes itself; it includes the path of the commit's project if that is a different one. */
const COMMIT_NOTE = /^(?:mentioned in|closed via) commit (?:([\w./-]+)@)?([0-9a-f]{7,40})\b/;

const mergeRequest = z.object({
  web_url: z.string(),
  title: z.string(),
  state: z.string(),
  created_at: z.string(),
});
const note = z.object({ body: z.string(), system: z.boolean(), created_at: z.string() });
const commitReply = z.object({ web_url: z.string(), title: z.string() });

type Address = { projectId: string; iid: number; url: string };

/**
 * Returns the merge requests that are related to an issue or would close it, and the commits in its notes, without duplicates.
 */
export async function gitlabReferences(api: GitlabApi, at: Address, subject: Subject): Promise<CodeReference[]> {
  const { projectId, iid } = at;
  const list = z.array(mergeRequest);
  const related = await api.call(subject, list, ({ issues }) => issues.allRelatedMergeRequests(projectId, iid));
  const closing = await api.call(subject, list, ({ issues }) => issues.allClosedByMergeRequestst(projectId, iid));
  const references = new Map([...related, ...closing].map((found) => [found.web_url, mergeRequestReference(found)]));

  const notes = await api.call(subject, z.array(note), ({ notes }) => notes.all(projectId, iid, PAGE));
  const commits = new Map<string, { project: string | undefined; sha: string; noted: number }>();
  for (const { body, system, created_at: noted } of notes) {
    const [, project, sha] = (system && COMMIT_NOTE.exec(body)) || [];
    if (sha !== undefined) commits.set(sha, { project, sha, noted: Date.parse(noted) });
  }
  const latest = [...commits.values()].sort((one, other) => one.noted - other.noted).slice(-COMMITS_MAX);
  for (const commit of latest) {
    const reference = await commitOf(api, at, commit, subject);
    if (reference !== null) references.set(reference.url, reference);
  }
  return [...references.values()].sort((one, other) => one.at - other.at);
}

/** Converts a merge request. GitLab's states include `opened`, and `locked` while it merges. */
function mergeRequestReference({
  web_url: url,
  title,
  state,
  created_at: at,
}: z.infer<typeof mergeRequest>): CodeReference {
  const ours = state === "merged" || state === "closed" ? state : "open";
  return { kind: "pull_request", url, title, state: ours, at: Date.parse(at) };
}

/** Reads a commit's title, which the note lacks. If the token may not read code, the hash becomes the title. */
async function commitOf(
  api: GitlabApi,
  { projectId, url: issueUrl }: Address,
  { project, sha, noted }: { project: string | undefined; sha: string; noted: number },
  subject: Subject,
): Promise<CodeReference | null> {
  const reference = { kind: "commit", state: null, at: noted } as const;
  try {
    const found = await api.call(subject, commitReply, ({ commits }) => commits.show(project ?? projectId, sha));
    return { ...reference, url: found.web_url, title: found.title };
  } catch (error) {
    if (!(error instanceof TrackerError) || error.transient) throw error;
    // GitLab does not report the web address of another project.
    if (project !== undefined) return null;
    const [projectUrl = ""] = issueUrl.split(/\/-\/|\/issues\//);
    return { ...reference, url: `${projectUrl}/-/commit/${sha}`, title: `Commit ${sha.slice(0, 8)}` };
  }
}
