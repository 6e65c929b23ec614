import { createHmac } from "node:crypto";
import { githubIssue, githubRepository } from "./github-json";
import type { StoredTicket } from "./ticket-store";

type Place = { url: string; secret: string; repository?: string; changes?: object | undefined };

/** Returns the delivery of a ticket's last change. */
export function githubDelivery(ticket: StoredTicket, { url, secret, repository = "acme/shop", changes }: Place) {
  const { action, deliveryId } = ticket.change;
  const isComment = action === "commented";
  const payload = {
    action: isComment ? "created" : action,
    issue: githubIssue(ticket, url, repository),
    repository: githubRepository(repository, url),
    ...(changes && { changes }),
    sender: { login: "ann", id: 1 },
    ...(isComment && { comment: { id: ticket.comments.at(-1)?.id, body: ticket.comments.at(-1)?.body } }),
  };
  const body = JSON.stringify(payload);
  return {
    headers: {
      "content-type": "application/json",
      "user-agent": "GitHub-Hookshot/044aadd",
      "x-github-delivery": deliveryId,
      "x-github-event": isComment ? "issue_comment" : "issues",
      "x-github-hook-id": "292430182",
      "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
    },
    body,
  };
}
