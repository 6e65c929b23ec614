import { z } from "zod";
import { idSegment, type JiraApi } from "./jira-api";
import { JiraError } from "./jira-errors";
import { jiraMarkup } from "./jira-markup";
import { markerProperty, markerValue, PROPERTY } from "./jira-search";

/** Users have an id on Cloud and a key on Data Center. */
const person = z
  .object({ accountId: z.string().optional(), key: z.string().optional(), name: z.string().optional() })
  .transform(({ accountId, key, name }) => accountId ?? key ?? name);
/** Other apps have properties of their own. */
const marker = markerValue.optional().catch(undefined);
const comment = z.object({
  id: z.string(),
  author: person.optional(),
  properties: z.array(z.object({ key: z.string(), value: marker })).optional(),
});
const page = z.object({ comments: z.array(comment), total: z.number() });
type Comment = z.output<typeof comment>;

/** Adds a comment unless one with the marker exists. Comments are read from Jira's database, so there is no lag. */
export async function addComment(api: JiraApi, externalId: string, body: string, wanted: string): Promise<void> {
  const issueIdOrKey = idSegment(externalId);
  if (await isThere(api, issueIdOrKey, wanted)) return;
  await api.ask({ subject: "ticket", isWrite: true }, z.object({ id: z.string() }), ({ comments }) =>
    comments.addComment({ issueIdOrKey, comment: jiraMarkup(body), properties: [markerProperty(wanted)] }),
  );
}

async function isThere(api: JiraApi, issueIdOrKey: string, wanted: string): Promise<boolean> {
  const own = ownComments(api);
  for (let startAt = 0, total = 1; startAt < total; ) {
    const { comments, total: all } = await api.ask({ subject: "ticket" }, page, (client) =>
      client.comments.getComments({ issueIdOrKey, startAt, maxResults: 100, expand: "properties" }),
    );
    for (const one of comments) if ((await markerOf(api, one, own)) === wanted) return true;
    startAt += comments.length;
    total = comments.length === 0 ? 0 : all;
  }
  return false;
}

/** Returns a predicate for comments by the connection's account; asks Jira for the account only once. */
function ownComments({ ask }: JiraApi) {
  let me: Promise<string | undefined> | undefined;
  return async ({ author }: Comment) => {
    me ??= ask({ subject: "site" }, person, ({ myself }) => myself.getCurrentUser());
    return author === undefined || author === (await me);
  };
}

/** Returns a comment's marker. A Data Center's list omits properties, so there it is read separately. */
async function markerOf({ ask }: JiraApi, one: Comment, isOwn: (one: Comment) => Promise<boolean>) {
  if (one.properties !== undefined) {
    return one.properties.find(({ key }) => key === PROPERTY)?.value;
  }
  if (!(await isOwn(one))) return undefined;
  const property = await ask({ subject: "ticket" }, z.object({ value: marker }), ({ commentProperties }) =>
    commentProperties.getCommentProperty({ commentId: encodeURIComponent(one.id), propertyKey: PROPERTY }),
  ).catch((error: unknown) => {
    if (error instanceof JiraError && error.reason === "gone") return undefined;
    throw error;
  });
  return property?.value;
}
