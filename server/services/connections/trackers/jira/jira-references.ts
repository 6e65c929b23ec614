import { z } from "zod";
import { codeLinkKind } from "../code-link";
import type { CodeReference } from "../tracker";
import { idSegment, type JiraApi, jiraTime } from "./jira-api";

const links = z.array(
  z.object({
    id: z.union([z.number(), z.string()]).transform(String),
    object: z.object({
      url: z.string(),
      title: z.string(),
      status: z.object({ resolved: z.boolean().optional() }).nullish().catch(null),
    }),
  }),
);
const history = z.object({
  fields: z.object({ created: jiraTime }),
  changelog: z.object({
    histories: z.array(
      z.object({
        created: jiraTime,
        items: z.array(z.object({ field: z.string().optional(), to: z.string().nullish() })),
      }),
    ),
  }),
});

/**
 * Returns the links of a ticket that lead to commits and pull requests. Jira's public API does not expose what integrations
 * show in its development panel.
 */
export async function codeReferences({ ask }: JiraApi, externalId: string): Promise<CodeReference[]> {
  const issueIdOrKey = idSegment(externalId);
  const all = await ask({ subject: "ticket" }, links, (client) => client.links.getRemoteIssueLinks({ issueIdOrKey }));
  const code = all.flatMap(({ id, object }) => {
    const kind = codeLinkKind(object.url);
    return kind === undefined ? [] : [{ id, kind, ...object }];
  });
  if (code.length === 0) return [];
  // Links have no timestamp; the ticket's history has.
  const { fields, changelog } = await ask({ subject: "ticket" }, history, ({ issues }) =>
    issues.getIssue({ issueIdOrKey, fields: ["created"], expand: "changelog" }),
  );
  const linkedAt = (id: string) =>
    changelog.histories.find(({ items }) => items.some((item) => item.field?.endsWith("Link") && item.to === id))
      ?.created ?? fields.created;
  return code.map(({ id, kind, url, title, status }) => ({
    kind,
    url,
    title,
    // For a link, Jira reports only whether its target is resolved, not how.
    state: kind === "pull_request" && status?.resolved === false ? "open" : null,
    at: linkedAt(id),
  }));
}
