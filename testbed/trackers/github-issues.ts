import { githubIssue, githubMessage, githubRepository, githubTimeline } from "./github-json";
import { pageOf, type RestReply, type RestRequest, type Route } from "./rest-service";
import type { StoredTicket, TicketStore } from "./ticket-store";

/** A simulated repository with issues. */
export type Repository = { id: number; name: string; store: TicketStore };

type Service = {
  url: () => string;
  lagMs: () => number;
  maxPerPage: () => number;
  /** Returns the path of a ticket that was transferred to another repository. */
  newPathOf: (ticket: StoredTicket | undefined) => string | undefined;
};

export const notFound = () => githubMessage(404, "Not Found");
const invalid = (...errors: object[]) => githubMessage(422, "Validation Failed", { errors });
const inSeconds = (ms: number) => Math.floor(ms / 1000);

/** Returns the reply for something that has another address now. */
export function movedTo(method: string, location: string): RestReply {
  const { body } = githubMessage(301, "Moved Permanently", { url: location });
  return { status: method === "GET" ? 301 : 307, headers: { location }, body };
}

/** Returns the routes of a repository's issues. */
export function githubIssueRoutes(repository: Repository, { url, lagMs, maxPerPage, newPathOf }: Service): Route[] {
  const { id, name, store } = repository;
  const issues = `/(?:repos/${name}|repositories/${id})/issues`;
  const json = (ticket: StoredTicket) => githubIssue(ticket, url(), name);
  const list = (items: readonly unknown[], request: RestRequest, path?: string): RestReply => {
    const { body, link, last } = pageOf(items, request, maxPerPage(), path);
    return { body, headers: last > 1 ? { link } : {} };
  };

  const ofIssue = (
    method: string,
    path: string,
    reply: (ticket: StoredTicket, request: RestRequest) => RestReply,
  ): Route => [
    method,
    new RegExp(`^${issues}/(\\d+)${path}$`),
    (request) => {
      const number = Number(request.params[0]);
      const newPath = newPathOf(store.tickets[number - 1]);
      if (newPath !== undefined) {
        const rest = request.url.pathname.replace(/^.*\/issues\/\d+/, "") + request.url.search;
        return movedTo(method, `${url()}${newPath}${rest}`);
      }
      const ticket = store.found(number);
      if (ticket !== undefined) return reply(ticket, request);
      return number <= store.tickets.length ? githubMessage(410, "This issue was deleted") : notFound();
    },
  ];

  function listIssues(request: RestRequest): RestReply {
    const { searchParams: query } = request.url;
    const since = inSeconds(Date.parse(query.get("since") ?? "1970-01-01T00:00:00Z"));
    const state = query.get("state") ?? "open";
    const by = query.get("sort") === "updated" ? "updatedAt" : "createdAt";
    const found = store.tickets
      .filter(({ isRemoved, createdAt }) => !isRemoved && createdAt + lagMs() <= Date.now())
      .filter((ticket) => inSeconds(ticket.updatedAt) >= since && (state === "all" || ticket.state === state))
      .sort((one, other) => other[by] - one[by] || other.number - one.number);
    const ordered = query.get("direction") === "asc" ? found.reverse() : found;
    return list(ordered.map(json), request, `/repositories/${id}/issues`); // GitHub's links contain the repository's id
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

  return [
    ["GET", new RegExp(`^/repositories/${id}$`), () => ({ body: githubRepository(name, url()) })],
    ["GET", new RegExp(`^${issues}$`), listIssues],
    ["POST", new RegExp(`^${issues}$`), createIssue],
    ofIssue("GET", "", (ticket) => ({ body: json(ticket) })),
    ofIssue("PATCH", "", (ticket, { input }) => updateIssue(ticket, input)),
    ofIssue("GET", "/comments", ({ comments }, request) => list(comments, request)),
    ofIssue("POST", "/comments", (ticket, { input: { body } }) =>
      body
        ? { status: 201, body: store.comment(ticket, String(body)) }
        : invalid({ resource: "IssueComment", code: "missing_field", field: "body" }),
    ),
    ofIssue("GET", "/timeline", (ticket, request) => list(githubTimeline(ticket, url()), request)),
  ];
}
