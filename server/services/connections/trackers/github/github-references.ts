import { z } from "zod";
import type { Subject } from "../failed-reply";
import type { CodeReference } from "../tracker";
import { TrackerError } from "../tracker-error";
import { type GithubApi, PAGE, type Repository } from "./github-api";

/** At most this many commits of a ticket, the latest, have their message read. */
const COMMITS_MAX = 20;

const timelineEvent = z.object({
  event: z.string().nullish(),
  created_at: z.string().nullish(),
  commit_id: z.string().nullish(),
  commit_url: z.string().nullish(),
  source: z
    .object({
      issue: z
        .object({
          html_url: z.string(),
          title: z.string(),
          state: z.string(),
          pull_request: z.object({ merged_at: z.string().nullish() }).nullish(),
        })
        .nullish(),
    })
    .nullish(),
});
type TimelineEvent = z.infer<typeof timelineEvent>;

const commitReply = z.object({ html_url: z.string(), commit: z.object({ message: z.string() }) });

/** Returns the pull requests and commits in an issue's timeline, each once. */
export async function githubReferences(
  api: GithubApi,
  at: Repository & { issue_number: number },
  subject: Subject,
): Promise<CodeReference[]> {
  const references = new Map<string, CodeReference>();
  const commits = new Map<string, TimelineEvent>();
  const timeline = api.pages(subject, timelineEvent, ({ rest }) =>
    rest.issues.listEventsForTimeline({ ...at, ...PAGE }),
  );
  for await (const page of timeline)
    for (const event of page) {
      const pullRequest = pullRequestOf(event);
      if (pullRequest !== null) references.set(pullRequest.url, pullRequest);
      if (event.commit_id && event.commit_url) commits.set(event.commit_id, event);
    }
  for (const event of [...commits.values()].slice(-COMMITS_MAX)) {
    const commit = await commitOf(api, event, subject);
    if (commit !== null) references.set(commit.url, commit);
  }
  return [...references.values()].sort((one, other) => one.at - other.at);
}

function pullRequestOf({ event, created_at: at, source }: TimelineEvent): CodeReference | null {
  const { html_url: url, title, state, pull_request: pullRequest } = source?.issue ?? {};
  if (event !== "cross-referenced" || !url || title === undefined || !pullRequest) return null;
  const stateNow = pullRequest.merged_at ? "merged" : state === "closed" ? "closed" : "open";
  return { kind: "pull_request", url, title, state: stateNow, at: Date.parse(at ?? "") || 0 };
}

/** Reads a commit's message, which the timeline lacks. If the token may not read code, the hash becomes the title. */
async function commitOf(api: GithubApi, event: TimelineEvent, subject: Subject): Promise<CodeReference | null> {
  const { commit_id: sha, commit_url: apiUrl, created_at: at } = event;
  const [, owner, repo] = /\/repos\/([^/]+)\/([^/]+)\/commits\/[^/]+$/.exec(apiUrl ?? "") ?? [];
  if (!sha || !apiUrl || !owner || !repo) return null;
  const reference = { kind: "commit", state: null, at: Date.parse(at ?? "") || 0 } as const;
  try {
    const { data } = await api.call(subject, commitReply, ({ rest }) =>
      rest.repos.getCommit({ owner, repo, ref: sha }),
    );
    const [title = ""] = data.commit.message.split("\n");
    return { ...reference, url: data.html_url, title };
  } catch (error) {
    if (!(error instanceof TrackerError) || error.transient) throw error;
    const host = new URL(apiUrl).origin.replace("//api.", "//");
    return { ...reference, url: `${host}/${owner}/${repo}/commit/${sha}`, title: `Commit ${sha.slice(0, 7)}` };
  }
}
