import { z } from "zod";
import type { Caller } from "../../kinds/kind";
import { unreadableReply } from "../failed-reply";
import { TrackerError } from "../tracker-error";
import { type JiraSubject, jiraError } from "./jira-errors";

/** Loads the parts of jira.js that are used: all of it takes half a second. It gets no credential: the connection adds it. */
async function clientOf(service: Caller) {
  const [base, issues, search, properties, comments, commentProperties, links, projects, permissions, myself, info] =
    await Promise.all([
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
  };
}
type Client = Awaited<ReturnType<typeof clientOf>>;

const serverInfo = z.object({ baseUrl: z.url({ protocol: /^https?$/ }), deploymentType: z.string().optional() });
export type JiraSite = {
  isCloud: boolean;
  /** As people enter it in a browser; the connection may go by another one. */
  url: string;
};

type Options = { about: JiraSubject; isWrite?: boolean };
export type JiraApi = {
  /** Calls Jira and returns its reply as the schema's output; throws a `TrackerError`. */
  ask<Reply extends z.ZodType>(
    options: Options,
    reply: Reply,
    call: (client: Client) => Promise<unknown>,
  ): Promise<z.output<Reply>>;
  site(): Promise<JiraSite>;
};

/** Returns Jira's API as the connection reaches it. */
export function jiraApi(service: Caller): JiraApi {
  let loaded: Promise<Client> | undefined;
  let site: Promise<JiraSite> | undefined;

  const ask: JiraApi["ask"] = async ({ about, isWrite = false }, schema, call) => {
    loaded ??= clientOf(service);
    const client = await loaded;
    const reply = await call(client).catch((error: unknown) => {
      throw jiraError(error, about, isWrite);
    });
    const read = schema.safeParse(reply);
    if (read.success) return read.data;
    throw new TrackerError("unavailable", unreadableReply("Jira"), { ambiguous: isWrite });
  };

  async function readSite(): Promise<JiraSite> {
    const { baseUrl, deploymentType } = await ask({ about: "site" }, serverInfo, ({ info }) => info.getServerInfo());
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

/** Returns the key of a project, which becomes part of paths and queries. */
export function projectKey(destination: string): string {
  const key = destination.trim();
  if (/^[a-z][a-z0-9_]{0,254}$/i.test(key)) return key;
  throw new TrackerError("destination", `“${destination}” is not the key of a Jira project. A key looks like PROJ.`);
}

/** Returns the path segment of a ticket's id. */
export const idSegment = (externalId: string) => encodeURIComponent(externalId);
