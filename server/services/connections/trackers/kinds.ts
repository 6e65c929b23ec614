import type { TrackerKind } from "../schemas";
import { githubTracker } from "./github/github";
import { readGithubWebhook } from "./github/github-webhook";
import { gitlabTracker } from "./gitlab/gitlab";
import { readGitlabWebhook } from "./gitlab/gitlab-webhook";
import { jiraTracker } from "./jira/jira";
import { readJiraWebhook } from "./jira/jira-webhook";
import { linearTracker } from "./linear/linear";
import { readLinearWebhook } from "./linear/linear-webhook";
import type { MakeTracker, ReadWebhook } from "./tracker";

export const TRACKERS: Record<TrackerKind, MakeTracker> = {
  github: githubTracker,
  gitlab: gitlabTracker,
  linear: linearTracker,
  jira: jiraTracker,
};

export const WEBHOOKS: Record<TrackerKind, ReadWebhook> = {
  github: readGithubWebhook,
  gitlab: readGitlabWebhook,
  linear: readLinearWebhook,
  jira: readJiraWebhook,
};

/** Display names. */
export const TRACKER_LABELS: Record<TrackerKind, string> = {
  github: "GitHub",
  gitlab: "GitLab",
  linear: "Linear",
  jira: "Jira",
};
