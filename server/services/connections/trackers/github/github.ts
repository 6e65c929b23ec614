import { z } from "zod";
import { aboutTicket } from "../failed-reply";
import { sameName } from "../mapped-state";
import { CLOCK_SKEW_MS, cut, hasMarker, withMarker } from "../marker";
import type { MakeTracker, Ticket, Tracker } from "../tracker";
import { TrackerError } from "../tracker-error";
import { githubApi, PAGE, repositoryOf, SUBJECT } from "./github-api";
import { checkGithub, readRepository } from "./github-check";
import { githubReferences } from "./github-references";

/** GitHub's own limits, in characters. */
const TITLE_MAX = 256;
const BODY_MAX = 65_536;

const issue = z.object({
  number: z.number(),
  url: z.string(),
  html_url: z.string(),
  state: z.string(),
  body: z.string().nullish(),
  created_at: z.string(),
  updated_at: z.string(),
  /** Only on pull requests, which GitHub lists as issues. */
  pull_request: z.unknown().optional(),
});
type Issue = z.infer<typeof issue>;

const isIssue = ({ pull_request: pullRequest }: Issue) => pullRequest === undefined;
/** GitHub has no fractions of a second. */
const isoSeconds = (time: number) => `${new Date(time).toISOString().slice(0, 19)}Z`;

/** Returns where an issue is now: its repository may have been renamed, or it may have been transferred to another. */
function placeOf({ url, number }: Pick<Issue, "url" | "number">) {
  const [, name = ""] = /\/repos\/([^/]+\/[^/]+)\/issues\/\d+$/.exec(url) ?? [];
  return { name, at: { ...repositoryOf(name), issue_number: number } };
}

/** Converts an issue to a ticket. `destination`: where it was requested, which leads to it even after a transfer. */
function ticketOf(found: Issue, destination?: string): Ticket {
  const { name } = placeOf(found);
  return {
    externalId: String(found.number),
    ...(destination !== undefined && !sameName(destination, name) && { movedTo: name }),
    key: `${name}#${found.number}`,
    url: found.html_url,
    state: found.state,
    isDone: found.state === "closed",
    updatedAt: Date.parse(found.updated_at),
  };
}

/** Returns the path parameters of an issue. */
function addressOf(destination: string, externalId: string) {
  if (!/^[1-9]\d{0,15}$/.test(externalId))
    throw new TrackerError("gone", `“${externalId}” is not the number of an issue.`);
  return { ...repositoryOf(destination), issue_number: Number(externalId) };
}

/** GitHub's issues, including those on GitHub Enterprise Server. */
export const githubTracker: MakeTracker = (service, { labels, installationId }): Tracker => {
  const api = githubApi(service);

  const readIssue = (destination: string, externalId: string) =>
    aboutTicket(
      () => readRepository(api, destination),
      async () => {
        const at = addressOf(destination, externalId);
        const subject = SUBJECT.ticket(destination, externalId);
        return (await api.call(subject, issue, ({ rest }) => rest.issues.get(at))).data;
      },
    );

  const issuePages = (destination: string, since: number, sort: "created" | "updated") => {
    const at = repositoryOf(destination);
    const which = { state: "all", since: isoSeconds(since), sort, direction: "desc", ...PAGE } as const;
    return api.pages(SUBJECT.place(destination), issue, ({ rest }) => rest.issues.listForRepo({ ...at, ...which }));
  };

  return {
    // Lists are read from replicas; GitHub promises neither immediate consistency nor a maximum lag. Seconds are usual. Search
    // is not used: it sometimes lags by minutes.
    creationLagMs: 15_000,

    async create(destination, { title, body, labels: names, marker }) {
      const input = { title: cut(title, TITLE_MAX), body: withMarker(body, marker, BODY_MAX), labels: [...names] };
      const at = repositoryOf(destination);
      const subject = SUBJECT.place(destination);
      const { data } = await api.call(subject, issue, ({ rest }) => rest.issues.create({ ...at, ...input }));
      return ticketOf(data);
    },

    async findCreated(destination, marker, since) {
      const from = since - CLOCK_SKEW_MS;
      for await (const page of issuePages(destination, from, "created")) {
        const found = page.find((one) => isIssue(one) && hasMarker(one.body, marker));
        if (found !== undefined) return ticketOf(found);
        if (page.some((one) => Date.parse(one.created_at) < Date.parse(isoSeconds(from)))) return null;
      }
      return null;
    },

    read: async (destination, externalId) => ticketOf(await readIssue(destination, externalId), destination),

    async changedSince(destination, since) {
      // Newest first: an issue that changes meanwhile is listed twice rather than missed.
      const tickets = new Map<string, Ticket>();
      for await (const page of issuePages(destination, since, "updated"))
        for (const ticket of page.filter(isIssue).map((one) => ticketOf(one)))
          if (!tickets.has(ticket.externalId)) tickets.set(ticket.externalId, ticket);
      return [...tickets.values()];
    },

    async setDone(destination, externalId, done) {
      const found = await readIssue(destination, externalId);
      if (ticketOf(found).isDone === done) return ticketOf(found, destination);
      const { at } = placeOf(found);
      const change = done
        ? ({ state: "closed", state_reason: "completed" } as const)
        : ({ state: "open", state_reason: "reopened" } as const);
      const subject = SUBJECT.ticket(destination, externalId);
      const { data } = await api.call(subject, issue, ({ rest }) => rest.issues.update({ ...at, ...change }));
      return ticketOf(data, destination);
    },

    async comment(destination, externalId, { body, marker }) {
      const { at } = placeOf(await readIssue(destination, externalId));
      const subject = SUBJECT.ticket(destination, externalId);
      const comment = z.object({ body: z.string().nullish() });
      const list = api.pages(subject, comment, ({ rest }) => rest.issues.listComments({ ...at, ...PAGE }));
      for await (const page of list) if (page.some((one) => hasMarker(one.body, marker))) return;
      const text = withMarker(body, marker, BODY_MAX);
      await api.call(subject, comment, ({ rest }) => rest.issues.createComment({ ...at, body: text }));
    },

    async references(destination, externalId) {
      const { at } = placeOf(await readIssue(destination, externalId));
      return githubReferences(api, at, SUBJECT.ticket(destination, externalId));
    },

    check: (destination) => checkGithub(api, destination, { labels, installationId }),
  };
};
