import { gitlabIssue } from "./gitlab-json";
import type { StoredTicket } from "./ticket-store";

/** The event action for each change. Removing an issue sends no event, so the previous change is sent again. */
const ACTIONS: Record<string, string> = { opened: "open", closed: "close", reopened: "reopen" };

/** Returns the delivery of a ticket's last change. */
export function gitlabDelivery(ticket: StoredTicket, secret: string) {
  const { action, deliveryId } = ticket.change;
  const comment = action === "commented" ? ticket.comments.at(-1) : undefined;
  const { id, iid, title, description, state } = gitlabIssue(ticket);
  const { project_id: projectId } = gitlabIssue(ticket);
  const attributes = { id, iid, project_id: projectId, title, description, state };
  const shared = {
    user: { id: 1, name: "Ann", username: "ann" },
    project: { id: 1, name: "Shop", path_with_namespace: "acme/shop", web_url: "https://gitlab.com/acme/shop" },
    repository: { name: "Shop", homepage: "https://gitlab.com/acme/shop" },
  };
  const payload =
    comment === undefined
      ? {
          object_kind: "issue",
          event_type: "issue",
          ...shared,
          object_attributes: { ...attributes, action: ACTIONS[action] ?? "update" },
        }
      : {
          object_kind: "note",
          event_type: "note",
          ...shared,
          object_attributes: { id: comment.id, note: comment.body, noteable_type: "Issue", action: "create" },
          issue: attributes,
        };
  return {
    headers: {
      "content-type": "application/json",
      "user-agent": "GitLab/18.9.0",
      "idempotency-key": deliveryId,
      "x-gitlab-event": comment === undefined ? "Issue Hook" : "Note Hook",
      "x-gitlab-event-uuid": "13792a34-cac6-4fda-95a8-c58e00a3954e",
      "x-gitlab-instance": "https://gitlab.com",
      "x-gitlab-token": secret,
      "x-gitlab-webhook-uuid": "02affd2d-2cba-4033-917d-ec22d5dc4b38",
    },
    body: JSON.stringify(payload),
  };
}
