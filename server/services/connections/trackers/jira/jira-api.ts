import { z } from "zod";
import type { Caller } from "../../kinds/kind";
import { unreadableReply } from "../failed-reply";
import { TrackerError } from "../tracker-error";
import { type JiraSubject, jiraError } from "./jira-errors";

/** Loads only the parts of jira.js in use: loading all of it takes half a second. The connection adds the credential. */
async function clientOf(service: Caller) {
  const [
    base,
    issues,
    search,
    properties,
    comments,
    commentProperties,
    links,
    projects,
    permissions,
    myself,
    info,
    users,
  ] = await Promise.all([
    import("jira.js/clients/baseClient"),
    import("jira.js/version2/issues"),
    import("jira.js/version2/issueSearch"),
    import("jira.js/version2/issueProperties"),
    import("jira.js/version2/issueComments"),
    import("jira.js/version2/issueCommentProperties"),
    import("jira.js/version2/issueRemoteLinks"),
    import("jira.js/version2/projects"),
    import("jira.js/version2/permissions"),
    import("jira.js/version2/myself"),
    import("jira.js/version2/serverInfo"),
    import("jira.js/version2/userSearch"),
  ]);
  const client = new base.BaseClient({
    host: service.baseUrl,
    baseRequestConfig: { adapter: "fetch", env: { fetch: service.fetch, Request, Response } },
  });
  return {
    issues: new issues.Issues(client),
    search: new search.IssueSearch(client),
    properties: new properties.IssueProperties(client),
    comments: new comments.IssueComments(client),
    commentProperties: new commentProperties.IssueCommentProperties(client),
    links: new links.IssueRemoteLinks(client),
    projects: new projects.Projects(client),
    permissions: new permissions.Permissions(client),
    myself: new myself.Myself(client),
    info: new info.ServerInfo(client),
    users: new users.UserSearch(client),
  };
}
type Client = Awaited<ReturnType<typeof clientOf>>;

const serverInfo = z.object({ baseUrl: z.url({ protocol: /^https?$/ }), deploymentType: z.string().optional() });
export type JiraSite = {
  isCloud: boolean;
  /** The site's address in a browser; the connection may use another one. */
  url: string;
};

type Options = { subject: JiraSubject; isWrite?: boolean };
export type JiraApi = {
  /** Calls Jira and parses its reply with the schema; throws a `TrackerError`. */
  ask<Reply extends z.ZodType>(
    options: Options,
    reply: Reply,
    call: (client: Client) => Promise<unknown>,
  ): Promise<z.output<Reply>>;
  site(): Promise<JiraSite>;
};

/** Creates a client of Jira's API that calls through the connection. */
export function jiraApi(service: Caller): JiraApi {
  let loaded: Promise<Client> | undefined;
  let site: Promise<JiraSite> | undefined;

  const ask: JiraApi["ask"] = async ({ subject, isWrite = false }, schema, call) => {
    loaded ??= clientOf(service);
    const client = await loaded;
    const reply = await call(client).catch((error: unknown) => {
      throw jiraError(error, subject, isWrite);
    });
    const read = schema.safeParse(reply);
    if (read.success) return read.data;
    throw new TrackerError("unavailable", unreadableReply("Jira"), { ambiguous: isWrite });
  };

  async function readSite(): Promise<JiraSite> {
    const { baseUrl, deploymentType } = await ask({ subject: "site" }, serverInfo, ({ info }) => info.getServerInfo());
    return { isCloud: deploymentType === "Cloud", url: baseUrl.replace(/\/+$/, "") };
  }

  return {
    ask,
    site: () => {
      site ??= readSite().catch((error: unknown) => {
        site = undefined;
        throw error;
      });
      return site;
    },
  };
}

/** Jira's times end in `+0000`, which is not ISO 8601. */
export const jiraTime = z
  .string()
  .transform((time) => Date.parse(time.replace(/([+-]\d{2})(\d{2})$/, "$1:$2")))
  .refine(Number.isFinite);
export const jiraStatus = z
  .object({ name: z.string(), statusCategory: z.object({ key: z.string() }) })
  .transform(({ name, statusCategory: { key } }) => ({ name, category: key, isDone: key === "done" }));

/** Returns a project key after checking it, because it becomes part of paths and queries. */
export function projectKey(destination: string): string {
  const key = destination.trim();
  if (/^[a-z][a-z0-9_]{0,254}$/i.test(key)) return key;
  throw new TrackerError("destination", `“${destination}” is not the key of a Jira project. A key looks like PROJ.`);
}

/** Returns a ticket's id as a path segment. */
export const idSegment = (externalId: string) => encodeURIComponent(externalId);
