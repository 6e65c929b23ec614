import type { TrackerKind } from "@/server/services/connections/schemas";

/** Where to enter the URL and the secret in each tracker, and what to choose there. */
export const WEBHOOK_STEPS: Record<TrackerKind, string> = {
  github:
    "In the repository, open Settings → Webhooks → Add webhook. Choose the content type application/json, enter both, and select the events Issues and Issue comments.",
  gitlab:
    "In the project, open Settings → Webhooks → Add new webhook. Enter both (the secret as the secret token) and select the triggers Issues events and Comments.",
  linear:
    "Open Settings → Administration → API → New webhook. Enter the URL, replace the signing secret with this one, and select Issues and Comments.",
  jira: "Open Settings → System → WebHooks → Create a WebHook. Enter both and select Issue: created, updated and deleted.",
};
