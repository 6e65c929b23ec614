import {
  type CreateField,
  type JiraIssueRow,
  type JiraProject,
  type JiraSite,
  jiraTime,
  PROJECTS,
  STATUSES,
} from "./jira-site";
import type { Answer } from "./with-faults";

export type JiraRequest = {
  parts: Record<string, string>;
  query: URLSearchParams;
  // biome-ignore lint/suspicious/noExplicitAny: whatever a client sends
  body: any;
};
type Route = [method: string, path: RegExp, reply: (request: JiraRequest) => Answer];
type World = { site: JiraSite; isCloud: boolean; url: () => string; lagMs: () => number; pageMax: number };

const ok = (body: unknown, status = 200): Answer => ({ status, body });
export const refusal = (status: number, message: string, errors: Record<string, string> = {}): Answer => ({
  status,
  body: { errorMessages: message === "" ? [] : [message], errors },
});
const NO_ISSUE = refusal(404, "Issue does not exist or you do not have permission to see it.");
const projectOf = (key: string | null | undefined) => PROJECTS.find((one) => one.key === key?.toUpperCase());
const list = (text: string | null) => (text ?? "").split(",").filter((one) => one !== "");
const number = (text: string | null, byDefault: number) => (text === null ? byDefault : Number(text));

/** Fields that the tracker always fills. */
const OURS: ReadonlySet<string> = new Set(["project", "issuetype", "summary", "description", "labels"]);

const CLAUSES: readonly [RegExp, (row: JiraIssueRow, value: string) => boolean][] = [
  [/^project = "(\w+)"$/, (row, key) => row.project.key === key.toUpperCase()],
  [/^created >= -(\d+)m$/, (row, minutes) => row.created >= minutesAgo(minutes)],
  [/^updated >= -(\d+)m$/, (row, minutes) => row.updated >= minutesAgo(minutes)],
  [/^creator = currentUser\(\)$/, () => true],
];
/** JQL has no seconds. */
const minutesAgo = (minutes: string) => (Math.floor(Date.now() / 60_000) - Number(minutes)) * 60_000;

/** Returns the tickets that a query finds, or Jira's complaint. */
function found(issues: readonly JiraIssueRow[], jql: string): JiraIssueRow[] | Answer {
  const [where = "", order] = jql.split(" ORDER BY ");
  if (order !== "created ASC") return refusal(400, `Error in the JQL Query: ${order}`);
  let rows = issues.toSorted((one, other) => one.created - other.created);
  for (const clause of where.split(" AND ")) {
    const [pattern, passes] = CLAUSES.find(([one]) => one.test(clause)) ?? [];
    const value = pattern?.exec(clause)?.[1] ?? "";
    if (!passes) return refusal(400, `Error in the JQL Query: ${clause}`);
    if (clause.startsWith("project") && !projectOf(value))
      return refusal(400, `The value '${value}' does not exist for the field 'project'.`);
    rows = rows.filter((row) => passes(row, value));
  }
  return rows;
}

/** The part of version 2 of Jira's API that the tracker uses. */
export function jiraRoutes({ site, isCloud, url, lagMs, pageMax }: World): Route[] {
  const issueJson = (row: JiraIssueRow, query: URLSearchParams) => {
    const fields = { status: row.status, updated: jiraTime(row.updated), created: jiraTime(row.created) };
    const asked = list(query.get("fields"));
    const histories = row.links.map(({ id, created }) => ({
      created: jiraTime(created),
      items: [{ field: "RemoteIssueLink", from: null, to: String(id) }],
    }));
    return {
      id: row.id,
      key: row.key,
      fields: Object.fromEntries(Object.entries(fields).filter(([name]) => asked.includes(name))),
      ...(query.get("expand") === "changelog" && { changelog: { histories } }),
      ...(isCloud && {
        properties: Object.fromEntries(
          row.properties
            .filter(({ key }) => list(query.get("properties")).includes(key))
            .map((one) => [one.key, one.value]),
        ),
      }),
    };
  };
  const withIssue =
    (reply: (row: JiraIssueRow, request: JiraRequest) => Answer) =>
    (request: JiraRequest): Answer => {
      const row = site.issueOf(request.parts.issue ?? "");
      return row ? reply(row, request) : NO_ISSUE;
    };
  const withProject =
    (reply: (project: JiraProject, request: JiraRequest) => Answer) =>
    (request: JiraRequest): Answer => {
      const key = request.parts.project ?? request.query.get("projectKey");
      const project = projectOf(key);
      return project ? reply(project, request) : refusal(404, `No project could be found with key '${key}'.`);
    };

  function search({ query }: JiraRequest): Answer {
    const rows = found(site.issues, query.get("jql") ?? "");
    if (!Array.isArray(rows)) return rows;
    const indexed = rows.filter(({ created }) => created <= Date.now() - lagMs());
    const from = isCloud ? number(query.get("nextPageToken"), 0) : number(query.get("startAt"), 0);
    const page = indexed.slice(from, from + Math.min(number(query.get("maxResults"), 50), pageMax));
    const issues = page.map((row) => issueJson(row, query));
    const next = from + page.length;
    if (!isCloud) return ok({ startAt: from, maxResults: pageMax, total: indexed.length, issues });
    const isLast = next >= indexed.length;
    return ok({ issues, isLast, ...(!isLast && { nextPageToken: String(next) }) });
  }

  function create({ body: { fields, properties = [] } }: JiraRequest): Answer {
    const project = projectOf(fields.project?.key);
    if (!project) return refusal(400, "", { project: "valid project is required" });
    const type = project.issueTypes.find(({ id }) => id === fields.issuetype?.id);
    if (!type) return refusal(400, "", { issuetype: "Specify a valid issue type" });
    const errors: Record<string, string> = {};
    if (!fields.summary) errors.summary = "You must specify a summary of the issue.";
    if (fields.summary?.length > 255) errors.summary = "Summary must be less than 255 characters.";
    if (fields.description?.length > 32_767) errors.description = "The entered text is too long.";
    const others: Record<string, unknown> = {};
    for (const one of project.createFields) {
      const { fieldId, name, required, hasDefaultValue } = one;
      const value = fields[fieldId];
      const complaint = OURS.has(fieldId) || value === undefined ? undefined : complaintAbout(one, value);
      if (required && !hasDefaultValue && value === undefined) errors[fieldId] = `${name} is required.`;
      if (complaint !== undefined) errors[fieldId] = complaint;
      if (!OURS.has(fieldId) && value !== undefined) others[fieldId] = value;
    }
    const screen = new Set(project.createFields.map(({ fieldId }) => fieldId));
    for (const id of Object.keys(fields))
      if (!screen.has(id)) errors[id] = `Field '${id}' cannot be set. It is not on the appropriate screen, or unknown.`;
    if (fields.labels?.some((label: string) => /\s/.test(label)))
      errors.labels = "The label contains spaces which is invalid.";
    if (Object.keys(errors).length > 0) return refusal(400, "", errors);
    const { summary, description = "", labels = [] } = fields;
    const { id, key } = site.add(project, { summary, description, labels, others, properties });
    return ok({ id, key, self: `${url()}/rest/api/2/issue/${id}` }, 201);
  }

  function transit(row: JiraIssueRow, { body }: JiraRequest): Answer {
    const transition = row.project.transitionsFrom(row.status).find(({ id }) => id === body.transition?.id);
    if (!transition) return refusal(400, "It seems that you have tried to perform an illegal workflow operation.");
    for (const [id, { name, required }] of Object.entries(transition.fields))
      if (required && body.fields?.[id] === undefined) return refusal(400, "", { [id]: `${name} is required.` });
    Object.assign(row, { status: transition.to, updated: Date.now() });
    return { status: 204 };
  }

  const comments = (row: JiraIssueRow, { query }: JiraRequest) => {
    const startAt = number(query.get("startAt"), 0);
    const page = row.comments.slice(startAt, startAt + Math.min(number(query.get("maxResults"), 50), pageMax));
    const shown = page.map(({ id, body, properties }) => ({
      ...{ id, body, author: author() },
      ...(isCloud && query.get("expand") === "properties" && { properties }),
    }));
    return ok({ startAt, maxResults: pageMax, total: row.comments.length, comments: shown });
  };
  const author = () => (isCloud ? { accountId: site.me.accountId } : { key: site.me.key, name: site.me.name });
  /** A page under the name that Cloud gives its list; Data Center says instead whether it is the last. */
  const paged = (cloud: string, all: readonly unknown[], query: URLSearchParams) => {
    const startAt = number(query.get("startAt"), 0);
    const maxResults = Math.min(number(query.get("maxResults"), 50), pageMax);
    const values = all.slice(startAt, startAt + maxResults);
    const about = { startAt, maxResults, total: all.length };
    return ok(
      isCloud ? { ...about, [cloud]: values } : { ...about, isLast: startAt + values.length >= all.length, values },
    );
  };
  /** Why Jira refuses a value, in its own words; `undefined` if it takes it. */
  function complaintAbout({ schema, name, allowedValues = [] }: CreateField, value: unknown): string | undefined {
    const chosen = (one: unknown) => {
      const id = typeof one === "object" && one !== null && "id" in one ? one.id : undefined;
      if (id === undefined) return `Could not find valid 'id' or 'value' in the Parent Option object.`;
      return allowedValues.some((allowed) => allowed.id === id) ? undefined : `Option id '${String(id)}' is not valid`;
    };
    const userKey = isCloud ? "accountId" : "name";
    const complaints: Record<string, () => string | undefined> = {
      string: () => (typeof value === "string" ? undefined : "Operation value must be a string"),
      number: () => (typeof value === "number" ? undefined : "Operation value must be a number"),
      option: () => chosen(value),
      user: () => {
        const id = (value as Record<string, unknown>)[userKey];
        return site.users.some((one) => one[userKey] === id) ? undefined : `${name} is not valid`;
      },
      array: () => {
        if (!Array.isArray(value)) return "data was not an array";
        if (schema.items === "string")
          return value.every((one) => typeof one === "string") ? undefined : "data was not an array of strings";
        return value.map(chosen).find((one) => one !== undefined);
      },
    };
    return complaints[schema.type]?.();
  }

  return [
    [
      "GET",
      /^serverInfo$/,
      () => ok({ baseUrl: url(), deploymentType: isCloud ? "Cloud" : "Server", version: "9.12.0" }),
    ],
    ["GET", /^myself$/, () => ok({ displayName: "Whetstone", ...author() })],
    ["GET", isCloud ? /^search\/jql$/ : /^search$/, search],
    ["POST", /^issue$/, create],
    [
      "GET",
      /^issue\/createmeta\/(?<project>\w+)\/issuetypes$/,
      withProject((one, { query }) => paged("issueTypes", one.issueTypes, query)),
    ],
    [
      "GET",
      /^issue\/createmeta\/(?<project>\w+)\/issuetypes\/\d+$/,
      withProject((one, { query }) => paged("fields", one.createFields, query)),
    ],
    [
      "GET",
      /^user\/assignable\/search$/,
      ({ query }) => {
        if (!projectOf(query.get("project")))
          return refusal(404, `No project could be found with key '${query.get("project")}'.`);
        const key = isCloud ? "accountId" : "name";
        const sought = query.get(isCloud ? "accountId" : "username");
        const found = site.users.filter((one) => sought === null || one[key] === sought);
        const shown = found.map((one) => ({ [key]: one[key], displayName: one.displayName, active: true }));
        return ok(shown.slice(0, Math.min(number(query.get("maxResults"), 50), pageMax)));
      },
    ],
    ["GET", /^issue\/(?<issue>[^/]+)$/, withIssue((row, { query }) => ok(issueJson(row, query)))],
    [
      "GET",
      /^issue\/(?<issue>[^/]+)\/properties\/(?<key>\w+)$/,
      withIssue((row, { parts }) => {
        const property = row.properties.find(({ key }) => key === parts.key);
        return property ? ok(property) : refusal(404, "The property was not found.");
      }),
    ],
    [
      "GET",
      /^issue\/(?<issue>[^/]+)\/transitions$/,
      withIssue(({ project, status }) => ok({ transitions: project.transitionsFrom(status) })),
    ],
    ["POST", /^issue\/(?<issue>[^/]+)\/transitions$/, withIssue(transit)],
    ["GET", /^issue\/(?<issue>[^/]+)\/comment$/, withIssue(comments)],
    [
      "POST",
      /^issue\/(?<issue>[^/]+)\/comment$/,
      withIssue((row, { body: { body, properties = [] } }) => {
        if (!body) return refusal(400, "", { comment: "Comment body can not be empty!" });
        const id = site.nextId();
        row.comments.push({ id, body, properties });
        row.updated = Date.now();
        return ok({ id, body }, 201);
      }),
    ],
    [
      "GET",
      /^comment\/(?<comment>\d+)\/properties\/(?<key>\w+)$/,
      ({ parts }) => {
        const comment = site.issues.flatMap((row) => row.comments).find(({ id }) => id === parts.comment);
        const property = comment?.properties.find(({ key }) => key === parts.key);
        return property ? ok(property) : refusal(404, "The property was not found.");
      },
    ],
    [
      "GET",
      /^issue\/(?<issue>[^/]+)\/remotelink$/,
      withIssue(({ links }) => ok(links.map(({ id, object }) => ({ id, object })))),
    ],
    ["GET", /^project\/(?<project>\w+)$/, withProject(({ key }) => ok({ id: "1", key, name: key }))],
    [
      "GET",
      /^project\/(?<project>\w+)\/statuses$/,
      withProject(({ issueTypes }) => ok(issueTypes.map((type) => ({ ...type, statuses: STATUSES })))),
    ],
    [
      "GET",
      /^mypermissions$/,
      withProject(({ denied }, { query }) => {
        const keys = list(query.get("permissions"));
        const permission = (key: string) => [key, { key, name: NAMES[key], havePermission: !denied.includes(key) }];
        return ok({ permissions: Object.fromEntries(keys.map(permission)) });
      }),
    ],
  ];
}
const NAMES: Record<string, string> = {
  CREATE_ISSUES: "Create Issues",
  ADD_COMMENTS: "Add Comments",
  TRANSITION_ISSUES: "Transition Issues",
};
