import { gitlabDelivery } from "./gitlab-delivery";
import { gitlabCommit, gitlabIssue, gitlabMergeRequest, gitlabNote, gitlabProject } from "./gitlab-json";
import { pageOf, type RestReply, type RestRequest, type Route, startRest } from "./rest-service";
import type { SimulatedTracker } from "./simulated-tracker";
import { type StoredTicket, ticketStore } from "./ticket-store";

/** Tokens with their scopes; GitLab does not report those of an OAuth token. */
const TOKENS: Record<string, { scopes?: string[] }> = {
  "glpat-simulated-token-9b30": { scopes: ["api"] },
  "glpat-read-only-9b31": { scopes: ["read_api"] },
  "oauth-simulated-token-9b32": {},
};
/** Projects besides the working one, `acme/shop`. */
const PROJECTS: Record<string, object> = {
  "acme/shop": {},
  "1": {},
  "acme/no-issues": { issues_enabled: false, issues_access_level: "disabled" },
  "acme/archived": { archived: true },
  "acme/guest": { permissions: { project_access: { access_level: 10 }, group_access: null } },
  "acme/invited": { permissions: { project_access: null, group_access: null } },
  "acme/public": { visibility: "public", permissions: { project_access: null, group_access: null } },
};

const message = (status: number, text: unknown): RestReply => ({ status, body: { message: text } });
const REFUSALS: Record<number, string> = {
  401: "401 Unauthorized",
  403: "403 Forbidden",
  404: "404 Not found",
  409: "409 Conflict",
  500: "500 Internal Server Error",
};

export type SimulatedGitlab = SimulatedTracker & {
  /** GitLab's own maximum page size is 100. */
  maxPerPage: number;
};

/** Starts GitLab's API as documented, with one project that has issues. */
export async function startGitlab(): Promise<SimulatedGitlab> {
  const store = ticketStore("acme/shop", { open: "opened", done: "closed" });
  const json = (ticket: StoredTicket) => gitlabIssue(ticket);
  const list = (items: readonly unknown[], request: RestRequest): RestReply => {
    const { body, page, perPage, last, link } = pageOf(items, request, simulated.maxPerPage);
    const headers = {
      link,
      "x-page": String(page),
      "x-per-page": String(perPage),
      "x-next-page": page < last ? String(page + 1) : "",
      "x-prev-page": page > 1 ? String(page - 1) : "",
      "x-total": String(items.length),
      "x-total-pages": String(last),
    };
    return { body, headers };
  };

  function listIssues(request: RestRequest): RestReply {
    const { searchParams: query } = request.url;
    const from = (name: string) => Date.parse(query.get(name) ?? "1970-01-01T00:00:00Z");
    const state = query.get("state") ?? "all";
    const by = query.get("order_by") === "updated_at" ? "updatedAt" : "createdAt";
    const found = store.tickets
      .filter(({ isRemoved, createdAt }) => !isRemoved && createdAt + simulated.lagMs <= Date.now())
      .filter(({ createdAt, updatedAt }) => createdAt >= from("created_after") && updatedAt >= from("updated_after"))
      .filter((ticket) => state === "all" || ticket.state === state)
      .sort((one, other) => other[by] - one[by] || other.number - one.number);
    return list((query.get("sort") === "asc" ? found.reverse() : found).map(json), request);
  }

  function createIssue({ input }: RestRequest): RestReply {
    const { title, description = "", labels = "" } = input as Record<string, string | undefined>;
    if (title === undefined) return { status: 400, body: { error: "title is missing" } };
    if (title.trim() === "") return message(400, { title: ["can't be blank"] });
    if (title.length > 255) return message(400, { title: ["is too long (maximum is 255 characters)"] });
    const names = labels.split(",").filter(Boolean);
    return { status: 201, body: json(store.create({ title, body: description, labels: names })) };
  }

  function updateIssue(ticket: StoredTicket, { state_event: event }: Record<string, unknown>): RestReply {
    if (event !== undefined && event !== "close" && event !== "reopen")
      return { status: 400, body: { error: "state_event does not have a valid value" } };
    if (event !== undefined) store.setDone(ticket, event === "close", null);
    return { body: json(ticket) };
  }

  /** A route below an issue of the project. */
  const ofIssue = (
    method: string,
    rest: string,
    reply: (ticket: StoredTicket, request: RestRequest) => RestReply,
  ): Route => [
    method,
    new RegExp(`^/api/v4/projects/(?:acme%2Fshop|1)/issues/(\\d+)${rest}$`),
    (request) => {
      const ticket = store.found(request.params[0] ?? "");
      return ticket === undefined ? message(404, "404 Not found") : reply(ticket, request);
    },
  ];
  const mentions = ({ mentions }: StoredTicket, kind: string) => mentions.filter((one) => one.kind === kind);

  const routes: Route[] = [
    [
      "GET",
      /^\/api\/v4\/personal_access_tokens\/self$/,
      (request) => {
        const scopes = tokenOf(request)?.scopes;
        return scopes ? { body: { id: 1, name: "Whetstone", active: true, scopes } } : message(401, "401 Unauthorized");
      },
    ],
    ["GET", /^\/api\/v4\/user$/, () => ({ body: { id: 1, username: "ann", state: "active" } })],
    [
      "GET",
      /^\/api\/v4\/projects\/([^/]+)$/,
      ({ params: [name = ""] }) => {
        const settings = PROJECTS[name];
        return settings ? { body: { ...gitlabProject(name), ...settings } } : message(404, "404 Project Not Found");
      },
    ],
    ["GET", /^\/api\/v4\/projects\/(?:acme%2Fshop|1)\/issues$/, listIssues],
    ["POST", /^\/api\/v4\/projects\/(?:acme%2Fshop|1)\/issues$/, createIssue],
    ["POST", /^\/api\/v4\/projects\/acme%2F(?:no-issues|archived)\/issues$/, () => message(403, "403 Forbidden")],
    ofIssue("GET", "", (ticket) => ({ body: json(ticket) })),
    ofIssue("PUT", "", (ticket, { input }) => updateIssue(ticket, input)),
    ofIssue("GET", "/notes", ({ comments }, request) => list(comments.toReversed().map(gitlabNote), request)),
    ofIssue("POST", "/notes", (ticket, { input: { body } }) => {
      if (body === undefined) return { status: 400, body: { error: "body is missing" } };
      if (body === "") return message(400, { note: ["can't be blank"] });
      return { status: 201, body: gitlabNote(store.comment(ticket, String(body))) };
    }),
    ofIssue("GET", "/related_merge_requests", (ticket, request) =>
      list(mentions(ticket, "pull_request").map(gitlabMergeRequest), request),
    ),
    ofIssue("GET", "/closed_by", (ticket, request) =>
      list(mentions(ticket, "pull_request").slice(0, 1).map(gitlabMergeRequest), request),
    ),
    [
      "GET",
      /^\/api\/v4\/projects\/(?:acme%2Fshop|1)\/repository\/commits\/(\w+)$/,
      ({ params: [sha] }) => {
        const commit = store.tickets.flatMap((ticket) => ticket.mentions).find((one) => one.sha === sha);
        return commit ? { body: gitlabCommit(commit) } : message(404, "404 Commit Not Found");
      },
    ],
    ["GET", /^\/api\/v4\/projects\/[^/]+\//, () => message(404, "404 Project Not Found")],
    ["POST", /^\/api\/v4\/projects\/[^/]+\//, () => message(404, "404 Project Not Found")],
  ];

  const service = await startRest(routes, {
    fault: (request) => simulated.fault(request),
    limited,
    refused: (status) => message(status, REFUSALS[status] ?? `${status} Error`),
    guard: (request) => {
      const token = tokenOf(request);
      if (token === undefined) return message(401, "401 Unauthorized");
      const mayWrite = token.scopes?.includes("api") ?? true;
      return mayWrite || request.method === "GET" ? undefined : INSUFFICIENT_SCOPE;
    },
  });

  const simulated: SimulatedGitlab = {
    baseUrl: `${service.url}/api/v4`,
    secret: "glpat-simulated-token-9b30",
    destination: "acme/shop",
    unusableDestination: "acme/missing",
    webhookSecret: "gitlab-webhook-secret-81fe",
    tickets: store.shown,
    setDone(externalId, done) {
      const ticket = store.found(externalId);
      if (ticket) store.setDone(ticket, done, null);
    },
    remove(externalId) {
      const ticket = store.found(externalId);
      if (ticket) store.changed(ticket, "deleted").isRemoved = true;
    },
    mention(externalId, reference) {
      const ticket = store.found(externalId);
      if (ticket === undefined) return;
      const { sha, number } = store.mention(ticket, reference);
      const what = reference.kind === "commit" ? `commit ${sha}` : `merge request !${number}`;
      store.comment(ticket, `mentioned in ${what}`, true);
    },
    delivery(externalId) {
      const ticket = store.tickets.find(({ number }) => String(number) === externalId);
      if (ticket === undefined) throw new Error(`There is no ticket ${externalId}.`);
      return gitlabDelivery(ticket, simulated.webhookSecret);
    },
    fault: () => undefined,
    lagMs: 0,
    maxPerPage: 100,
    received: service.received,
    stop: () => service.stop(),
  };
  return simulated;
}

const tokenOf = ({ headers }: RestRequest) =>
  TOKENS[`${headers["private-token"] ?? headers.authorization?.replace(/^Bearer /, "")}`];

const INSUFFICIENT_SCOPE: RestReply = {
  status: 403,
  body: {
    error: "insufficient_scope",
    error_description: "The request requires higher privileges than provided by the access token.",
    scope: "api",
  },
};

/** Rate limits are reported in plain text. */
function limited(): RestReply {
  const end = Math.ceil(Date.now() / 1000 + 1);
  return {
    status: 429,
    body: "Retry later\n",
    headers: {
      "ratelimit-limit": "2000",
      "ratelimit-name": "throttle_authenticated_api",
      "ratelimit-observed": "2001",
      "ratelimit-remaining": "0",
      "ratelimit-reset": String(end),
      "ratelimit-resettime": new Date(end * 1000).toUTCString(),
      "retry-after": "1",
    },
  };
}
