import type { TrackerKind } from "../schemas";
import { githubTracker } from "./github";
import { githubWebhook } from "./github-webhook";
import { gitlabTracker } from "./gitlab";
import { gitlabWebhook } from "./gitlab-webhook";
import { jiraTracker } from "./jira";
import { jiraWebhook } from "./jira-webhook";
import { linearTracker } from "./linear";
import { linearWebhook } from "./linear-webhook";
import type { MakeTracker, ReadWebhook } from "./tracker";

export const TRACKERS: Record<TrackerKind, MakeTracker> = {
  github: githubTracker,
  gitlab: gitlabTracker,
  linear: linearTracker,
  jira: jiraTracker,
};

export const WEBHOOKS: Record<TrackerKind, ReadWebhook> = {
  github: githubWebhook,
  gitlab: gitlabWebhook,
  linear: linearWebhook,
  jira: jiraWebhook,
};

/** As people call them. */
export const TRACKER_LABELS: Record<TrackerKind, string> = {
  github: "GitHub",
  gitlab: "GitLab",
  linear: "Linear",
  jira: "Jira",
};
