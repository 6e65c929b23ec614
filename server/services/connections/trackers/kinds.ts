import type { TrackerKind } from "../schemas";
import { githubTracker } from "./github";
import { readGithubWebhook } from "./github-webhook";
import { gitlabTracker } from "./gitlab";
import { readGitlabWebhook } from "./gitlab-webhook";
import { jiraTracker } from "./jira";
import { readJiraWebhook } from "./jira-webhook";
import { linearTracker } from "./linear";
import { readLinearWebhook } from "./linear-webhook";
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

/** As people call them. */
export const TRACKER_LABELS: Record<TrackerKind, string> = {
  github: "GitHub",
  gitlab: "GitLab",
  linear: "Linear",
  jira: "Jira",
};
