import { githubApp, type SimulatedApp } from "./github-app";
import { githubDelivery } from "./github-delivery";
import { githubCommit, githubIssue, githubRepository, githubTimeline } from "./github-json";
import { pageOf, type RestReply, type RestRequest, type Route, startRest } from "./rest-service";
import type { SimulatedTracker } from "./simulated-tracker";
import { type StoredTicket, ticketStore } from "./ticket-store";

const DOCS = "https://docs.github.com/rest";
/** Tokens with their scopes; a fine-grained one reports none. */
const TOKENS: Record<string, { scopes?: string; mayUseIssues?: boolean; mayWriteIssues?: boolean }> = {
  "ghp-simulated-token-5d20": { scopes: "gist, repo" },
  "ghp-without-repo-5d21": { scopes: "gist, read:org" },
  "github_pat_simulated-5d22": {},
  "github_pat_without-issues-5d23": { mayUseIssues: false },
  "github_pat_reads-issues-5d24": { mayWriteIssues: false },
};
/** Repositories besides the working one, `acme/shop`. `acme/old-shop` is its former name. */
const REPOSITORIES: Record<string, object> = {
  "acme/shop": {},
  "acme/no-issues": { has_issues: false },
  "acme/archived": { archived: true },
  "acme/read-only": { permissions: { push: false, triage: false, pull: true } },
  "acme/public": { private: false, permissions: { push: false, triage: false, pull: true } },
};

const message = (status: number, text: string, more: object = {}): RestReply => ({
  status,
  body: { message: text, ...more, documentation_url: DOCS, status: String(status) },
});
const notFound = () => message(404, "Not Found");
const invalid = (...errors: object[]) => message(422, "Validation Failed", { errors });
const REFUSALS: Record<number, string> = {
  401: "Bad credentials",
  403: "Resource not accessible by personal access token",
  404: "Not Found",
  410: "This issue was deleted",
  422: "Validation Failed",
  500: "Server Error",
  502: "Server Error",
};
const inSeconds = (ms: number) => Math.floor(ms / 1000);

export type SimulatedGithub = SimulatedTracker & {
  app: SimulatedApp;
  /** GitHub's own maximum page size is 100. */
  maxPerPage: number;
  /** Opens a pull request, as a user there would. */
  openPullRequest(): void;
};

/** Starts GitHub's API as documented, with one repository that has issues. */
export async function startGithub(): Promise<SimulatedGithub> {
  const store = ticketStore("acme/shop", { open: "open", done: "closed" });
  const byNumber = (number: string, reply: (ticket: StoredTicket) => RestReply): RestReply => {
    const ticket = store.found(number);
    if (ticket !== undefined) return reply(ticket);
    return Number(number) <= store.tickets.length ? message(410, "This issue was deleted") : notFound();
  };
  const json = (ticket: StoredTicket) => githubIssue(ticket, service.url);
  const list = (items: readonly unknown[], request: RestRequest, path?: string): RestReply => {
    const { body, link, last } = pageOf(items, request, simulated.maxPerPage, path);
    return { body, headers: last > 1 ? { link } : {} };
  };

  function listIssues(request: RestRequest): RestReply {
    const { searchParams: query } = request.url;
    const since = inSeconds(Date.parse(query.get("since") ?? "1970-01-01T00:00:00Z"));
    const state = query.get("state") ?? "open";
    const by = query.get("sort") === "updated" ? "updatedAt" : "createdAt";
    const found = store.tickets
      .filter(({ isRemoved, createdAt }) => !isRemoved && createdAt + simulated.lagMs <= Date.now())
      .filter((ticket) => inSeconds(ticket.updatedAt) >= since && (state === "all" || ticket.state === state))
      .sort((one, other) => other[by] - one[by] || other.number - one.number);
    const ordered = query.get("direction") === "asc" ? found.reverse() : found;
    return list(ordered.map(json), request, "/repositories/1/issues"); // GitHub's links contain the repository's id
  }

  function createIssue({ input }: RestRequest): RestReply {
    const { title, body = "", labels = [] } = input as { title?: string; body?: string; labels?: string[] };
    if (!title) return invalid({ resource: "Issue", code: "missing_field", field: "title" });
    const tooLong = {
      resource: "Issue",
      code: "custom",
      field: "body",
      message: "body is too long (maximum is 65536 characters)",
    };
    if (body.length > 65_536) return invalid(tooLong);
    return { status: 201, body: json(store.create({ title, body, labels })) };
  }

  function updateIssue(ticket: StoredTicket, { state, state_reason: reason }: Record<string, unknown>): RestReply {
    if (state !== undefined && state !== "open" && state !== "closed")
      return invalid({ resource: "Issue", code: "invalid", field: "state" });
    if (state !== undefined) store.setDone(ticket, state === "closed", (reason as string) ?? null);
    return { body: json(ticket) };
  }

  const ISSUES = "/(?:repos/acme/shop|repositories/1)/issues";
  const { app, ...ofApp } = githubApp();
  const routes: Route[] = [
    ...ofApp.routes,
    ["GET", /^\/installation\/repositories$/, () => ({ body: { total_count: 1, repositories: [] } })],
    ["GET", /^\/user$/, () => ({ body: { login: "ann", id: 1 } })],
    ["GET", /^\/repositories\/1$/, () => ({ body: githubRepository("acme/shop", service.url) })],
    ...["GET", "POST", "PATCH"].map((method): Route => [method, /^\/repos\/acme\/old-shop(.*)$/, moved(method)]),
    [
      "GET",
      /^\/repos\/([^/]+\/[^/]+)$/,
      ({ params: [name = ""] }) => {
        const settings = REPOSITORIES[name];
        return settings ? { body: { ...githubRepository(name, service.url), ...settings } } : notFound();
      },
    ],
    ["GET", new RegExp(`^${ISSUES}$`), listIssues],
    ["POST", new RegExp(`^${ISSUES}$`), createIssue],
    [
      "GET",
      new RegExp(`^${ISSUES}/(\\d+)$`),
      ({ params: [number = ""] }) => byNumber(number, (one) => ({ body: json(one) })),
    ],
    [
      "PATCH",
      new RegExp(`^${ISSUES}/(\\d+)$`),
      ({ params: [number = ""], input }) => byNumber(number, (one) => updateIssue(one, input)),
    ],
    [
      "GET",
      new RegExp(`^${ISSUES}/(\\d+)/comments$`),
      (request) => byNumber(request.params[0] ?? "", ({ comments }) => list(comments, request)),
    ],
    [
      "POST",
      new RegExp(`^${ISSUES}/(\\d+)/comments$`),
      ({ params: [number = ""], input: { body } }) =>
        byNumber(number, (one) =>
          body
            ? { status: 201, body: store.comment(one, String(body)) }
            : invalid({ resource: "IssueComment", code: "missing_field", field: "body" }),
        ),
    ],
    [
      "GET",
      new RegExp(`^${ISSUES}/(\\d+)/timeline$`),
      (request) => byNumber(request.params[0] ?? "", (one) => list(githubTimeline(one, service.url), request)),
    ],
    [
      "GET",
      /^\/repos\/acme\/shop\/commits\/(\w+)$/,
      ({ params: [sha] }) => {
        const commit = store.tickets.flatMap(({ mentions }) => mentions).find((one) => one.sha === sha);
        return commit ? { body: githubCommit(commit, service.url) } : message(422, `No commit found for SHA: ${sha}`);
      },
    ],
    ["GET", /^\/repos\/acme\/(no-issues|archived|read-only|public)\/issues$/, () => ({ body: [] })],
    ["POST", /^\/repos\/acme\/no-issues\/issues$/, () => message(410, "Issues has been disabled in this repository.")],
    ["POST", /^\/repos\/acme\/archived\/issues$/, () => message(403, "Repository was archived so is read-only.")],
  ];

  function moved(method: string): Route[2] {
    return ({ params: [rest = ""], url }) => {
      const location = `${service.url}/repositories/1${rest}${url.search}`;
      const { body } = message(301, "Moved Permanently", { url: location });
      return { status: method === "GET" ? 301 : 307, headers: { location }, body };
    };
  }

  const limited = (): RestReply => ({
    ...message(403, "API rate limit exceeded for user ID 1."),
    headers: {
      "x-ratelimit-limit": "5000",
      "x-ratelimit-remaining": "0",
      "x-ratelimit-used": "5000",
      "x-ratelimit-reset": String(Math.ceil(Date.now() / 1000 + 1)),
      "x-ratelimit-resource": "core",
    },
  });

  const service = await startRest(
    routes.map(([method, path, reply]): Route => [method, path, (request) => withScopes(request, reply(request))]),
    {
      fault: (request) => simulated.fault(request),
      limited,
      refused: (status) => message(status, REFUSALS[status] ?? "Error"),
      guard: (request) => {
        const refusedApp = ofApp.guard(request);
        if (refusedApp !== null) return refusedApp;
        const token = tokenOf(request);
        if (token === undefined) return message(401, "Bad credentials");
        // GitHub checks the permission before the input.
        const isIssues = /\/issues\b/.test(request.url.pathname);
        const isRefused =
          isIssues && (token.mayUseIssues === false || (token.mayWriteIssues === false && request.method !== "GET"));
        return isRefused ? message(403, "Resource not accessible by personal access token") : undefined;
      },
    },
  );

  const simulated: SimulatedGithub = {
    app,
    baseUrl: service.url,
    secret: "ghp-simulated-token-5d20",
    destination: "acme/shop",
    unusableDestination: "acme/missing",
    webhookSecret: "github-webhook-secret-27c1",
    tickets: store.shown,
    openPullRequest: () => void store.create({ title: "A pull request", isPullRequest: true }),
    setDone(externalId, done, state) {
      const ticket = store.found(externalId);
      const reason = done ? "completed" : "reopened";
      if (ticket) store.setDone(ticket, done, state === "not_planned" ? state : reason);
    },
    remove(externalId) {
      const ticket = store.found(externalId);
      if (ticket) store.changed(ticket, "deleted").isRemoved = true;
    },
    mention(externalId, reference) {
      const ticket = store.found(externalId);
      if (ticket) store.mention(ticket, reference);
    },
    delivery(externalId) {
      const ticket = store.tickets.find(({ number }) => String(number) === externalId);
      if (ticket === undefined) throw new Error(`There is no ticket ${externalId}.`);
      return githubDelivery(ticket, service.url, simulated.webhookSecret);
    },
    fault: () => undefined,
    lagMs: 0,
    maxPerPage: 100,
    received: service.received,
    stop: () => service.stop(),
  };
  return simulated;
}

const tokenOf = ({ headers }: RestRequest) => TOKENS[headers.authorization?.replace(/^(Bearer|token) /, "") ?? ""];

/** Adds the header with a classic token's scopes, which every reply has. */
function withScopes(request: RestRequest, reply: RestReply): RestReply {
  const scopes = tokenOf(request)?.scopes;
  return scopes === undefined ? reply : { ...reply, headers: { "x-oauth-scopes": scopes, ...reply.headers } };
}
