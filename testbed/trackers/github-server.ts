import { githubApp, type SimulatedApp } from "./github-app";
import { githubDelivery } from "./github-delivery";
import { githubIssueRoutes, movedTo, notFound } from "./github-issues";
import { githubCommit, githubIssue, githubMessage, githubRepository } from "./github-json";
import { type RestReply, type RestRequest, type Route, startRest } from "./rest-service";
import type { SimulatedTracker } from "./simulated-tracker";
import { type StoredTicket, ticketStore } from "./ticket-store";

/** Tokens with their scopes; a fine-grained one reports none. */
const TOKENS: Record<string, { scopes?: string; mayUseIssues?: boolean; mayWriteIssues?: boolean }> = {
  "ghp-simulated-token-5d20": { scopes: "gist, repo" },
  "ghp-without-repo-5d21": { scopes: "gist, read:org" },
  "github_pat_simulated-5d22": {},
  "github_pat_without-issues-5d23": { mayUseIssues: false },
  "github_pat_reads-issues-5d24": { mayWriteIssues: false },
};
/** Repositories besides the working ones. `acme/old-shop` is the former name of `acme/shop`. */
const REPOSITORIES: Record<string, object> = {
  "acme/shop": {},
  "acme/support": {},
  "acme/no-issues": { has_issues: false },
  "acme/archived": { archived: true },
  "acme/read-only": { permissions: { push: false, triage: false, pull: true } },
  "acme/public": { private: false, permissions: { push: false, triage: false, pull: true } },
};

const REFUSALS: Record<number, string> = {
  401: "Bad credentials",
  403: "Resource not accessible by personal access token",
  404: "Not Found",
  410: "This issue was deleted",
  422: "Validation Failed",
  500: "Server Error",
  502: "Server Error",
};

export type SimulatedGithub = SimulatedTracker & {
  app: SimulatedApp;
  /** GitHub's own maximum page size is 100. */
  maxPerPage: number;
  /** Opens a pull request, as a user there would. */
  openPullRequest(): void;
  /** Transfers a ticket to the repository `acme/support`, as a user there would. */
  transfer(externalId: string): TransferredTicket;
};
type TransferredTicket = {
  destination: string;
  externalId: string;
  setDone(done: boolean): void;
  /** Returns the delivery that the new repository sends of its last change. */
  delivery(): ReturnType<SimulatedTracker["delivery"]>;
};

/** Starts GitHub's API as documented, with two repositories that have issues. */
export async function startGithub(): Promise<SimulatedGithub> {
  const store = ticketStore("acme/shop", { open: "open", done: "closed" });
  const shop = { id: 1, name: "acme/shop", store };
  const support = { id: 2, name: "acme/support", store: ticketStore("acme/support", { open: "open", done: "closed" }) };
  /** The new tickets by those that were transferred. */
  const transferred = new Map<StoredTicket, StoredTicket>();

  const behaviour = {
    url: () => service.url,
    lagMs: () => simulated.lagMs,
    maxPerPage: () => simulated.maxPerPage,
    newPathOf(ticket: StoredTicket | undefined) {
      const target = ticket && transferred.get(ticket);
      return target && `/repositories/${support.id}/issues/${target.number}`;
    },
  };
  const { app, ...ofApp } = githubApp();
  const routes: Route[] = [
    ...ofApp.routes,
    ["GET", /^\/installation\/repositories$/, () => ({ body: { total_count: 1, repositories: [] } })],
    ["GET", /^\/user$/, () => ({ body: { login: "ann", id: 1 } })],
    ...["GET", "POST", "PATCH"].map((method): Route => [method, /^\/repos\/acme\/old-shop(.*)$/, moved(method)]),
    [
      "GET",
      /^\/repos\/([^/]+\/[^/]+)$/,
      ({ params: [name = ""] }) => {
        const settings = REPOSITORIES[name];
        return settings ? { body: { ...githubRepository(name, service.url), ...settings } } : notFound();
      },
    ],
    ...[shop, support].flatMap((repository) => githubIssueRoutes(repository, behaviour)),
    [
      "GET",
      /^\/repos\/acme\/shop\/commits\/(\w+)$/,
      ({ params: [sha] }) => {
        const commit = store.tickets.flatMap(({ mentions }) => mentions).find((one) => one.sha === sha);
        return commit
          ? { body: githubCommit(commit, service.url) }
          : githubMessage(422, `No commit found for SHA: ${sha}`);
      },
    ],
    ["GET", /^\/repos\/acme\/(no-issues|archived|read-only|public)\/issues$/, () => ({ body: [] })],
    [
      "POST",
      /^\/repos\/acme\/no-issues\/issues$/,
      () => githubMessage(410, "Issues has been disabled in this repository."),
    ],
    ["POST", /^\/repos\/acme\/archived\/issues$/, () => githubMessage(403, "Repository was archived so is read-only.")],
  ];

  function moved(method: string): Route[2] {
    return ({ params: [rest = ""], url }) => movedTo(method, `${service.url}/repositories/1${rest}${url.search}`);
  }

  const limited = (): RestReply => ({
    ...githubMessage(403, "API rate limit exceeded for user ID 1."),
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
      refused: (status) => githubMessage(status, REFUSALS[status] ?? "Error"),
      guard: (request) => {
        const refusedApp = ofApp.guard(request);
        if (refusedApp !== null) return refusedApp;
        const token = tokenOf(request);
        if (token === undefined) return githubMessage(401, "Bad credentials");
        // GitHub checks the permission before the input.
        const isIssues = /\/issues\b/.test(request.url.pathname);
        const isRefused =
          isIssues && (token.mayUseIssues === false || (token.mayWriteIssues === false && request.method !== "GET"));
        return isRefused ? githubMessage(403, "Resource not accessible by personal access token") : undefined;
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
      const target = transferred.get(ticket);
      const changes = target && {
        new_issue: githubIssue(target, service.url, support.name),
        new_repository: githubRepository(support.name, service.url),
      };
      return githubDelivery(ticket, { url: service.url, secret: simulated.webhookSecret, changes });
    },
    transfer(externalId) {
      const ticket = store.found(externalId);
      if (ticket === undefined) throw new Error(`There is no ticket ${externalId}.`);
      const { title, body, comments, createdAt } = ticket;
      const target = Object.assign(support.store.create({ title, body }), { comments, createdAt });
      transferred.set(store.changed(ticket, "transferred"), target);
      ticket.isRemoved = true;
      const changes = {
        old_issue: githubIssue(ticket, service.url),
        old_repository: githubRepository(shop.name, service.url),
      };
      return {
        destination: support.name,
        externalId: String(target.number),
        setDone: (done) => void support.store.setDone(target, done, done ? "completed" : "reopened"),
        delivery: () =>
          githubDelivery(target, {
            url: service.url,
            secret: simulated.webhookSecret,
            repository: support.name,
            ...(target.change.action === "opened" && { changes }),
          }),
      };
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
