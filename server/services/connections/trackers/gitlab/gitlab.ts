import { z } from "zod";
import { aboutTicket } from "../failed-reply";
import { CLOCK_SKEW_MS, cut, hasMarker, withMarker } from "../marker";
import type { MakeTracker, Ticket, Tracker } from "../tracker";
import { TrackerError } from "../tracker-error";
import { gitlabApi, PAGE, projectOf, SUBJECT } from "./gitlab-api";
import { changing, checkGitlab, readProject } from "./gitlab-check";
import { gitlabReferences } from "./gitlab-references";

/** GitLab's own limits, in characters. */
const TITLE_MAX = 255;
const BODY_MAX = 1_000_000;

const issue = z.object({
  iid: z.number(),
  web_url: z.string(),
  state: z.string(),
  description: z.string().nullish(),
  updated_at: z.string(),
  references: z.object({ full: z.string() }),
});
type Issue = z.infer<typeof issue>;

const ticketOf = (found: Issue): Ticket => ({
  externalId: String(found.iid),
  key: found.references.full,
  url: found.web_url,
  state: found.state,
  isDone: found.state === "closed",
  updatedAt: Date.parse(found.updated_at),
});

/** A line that begins with a quick action is executed, even one quoted from a conversation: `/close`, `/assign @ann`. */
const QUICK_ACTION = /^([^\S\n]*)\/(?=[a-z_]+(\s|$))/gim;
const bodyOf = (body: string, marker: string) => withMarker(body.replace(QUICK_ACTION, "$1\\/"), marker, BODY_MAX);

/** Returns the number of an issue. */
function iidOf(externalId: string): number {
  if (/^[1-9]\d{0,15}$/.test(externalId)) return Number(externalId);
  throw new TrackerError("gone", `“${externalId}” is not the number of an issue.`);
}

/** The issues of GitLab.com or of a self-managed GitLab. */
export const gitlabTracker: MakeTracker = (service): Tracker => {
  const api = gitlabApi(service);

  const readIssue = (destination: string, externalId: string) =>
    aboutTicket(
      () => readProject(api, destination),
      () => {
        const [projectId, iid] = [projectOf(destination), iidOf(externalId)];
        const subject = SUBJECT.ticket(destination, externalId);
        return api.call(subject, issue, ({ issues }) => issues.show(iid, { projectId }));
      },
    );

  const listIssues = (destination: string, which: { createdAfter: string } | { updatedAfter: string }) => {
    const orderBy = "createdAfter" in which ? "created_at" : "updated_at";
    // Newest first: an issue that changes meanwhile is listed twice rather than missed.
    const query = { projectId: projectOf(destination), scope: "all", orderBy, sort: "desc", ...which, ...PAGE };
    return api.call(SUBJECT.place(destination), z.array(issue), ({ issues }) => issues.all(query));
  };

  return {
    // A token's reads may go to a database replica. GitLab uses only replicas that lag by less than seconds.
    creationLagMs: 5000,

    async create(destination, { title, body, labels, marker }) {
      const projectId = projectOf(destination);
      const input = { description: bodyOf(body, marker), labels: labels.join(",") };
      const subject = SUBJECT.place(destination);
      const created = await changing(api, destination, () =>
        api.call(subject, issue, ({ issues }) => issues.create(projectId, cut(title, TITLE_MAX), input)),
      );
      return ticketOf(created);
    },

    async findCreated(destination, marker, since) {
      const createdAfter = new Date(since - CLOCK_SKEW_MS).toISOString();
      const found = await listIssues(destination, { createdAfter });
      const ours = found.find(({ description }) => hasMarker(description, marker));
      return ours === undefined ? null : ticketOf(ours);
    },

    read: async (destination, externalId) => ticketOf(await readIssue(destination, externalId)),

    async changedSince(destination, since) {
      const found = await listIssues(destination, { updatedAfter: new Date(since).toISOString() });
      const newestFirst = new Map(found.toReversed().map((one) => [one.iid, ticketOf(one)]));
      return [...newestFirst.values()].toReversed();
    },

    async setDone(destination, externalId, done) {
      const ticket = ticketOf(await readIssue(destination, externalId));
      if (ticket.isDone === done) return ticket;
      const change = { stateEvent: done ? "close" : "reopen" };
      const [projectId, iid] = [projectOf(destination), iidOf(externalId)];
      const subject = SUBJECT.ticket(destination, externalId);
      const changed = await changing(api, destination, () =>
        api.call(subject, issue, ({ issues }) => issues.edit(projectId, iid, change)),
      );
      return ticketOf(changed);
    },

    async comment(destination, externalId, { body, marker }) {
      await readIssue(destination, externalId);
      const [projectId, iid] = [projectOf(destination), iidOf(externalId)];
      const subject = SUBJECT.ticket(destination, externalId);
      const note = z.object({ body: z.string() });
      const there = await api.call(subject, z.array(note), ({ notes }) => notes.all(projectId, iid, PAGE));
      if (there.some((one) => hasMarker(one.body, marker))) return;
      await changing(api, destination, () =>
        api.call(subject, note, ({ notes }) => notes.create(projectId, iid, bodyOf(body, marker))),
      );
    },

    async references(destination, externalId) {
      const { web_url: url } = await readIssue(destination, externalId);
      const at = { projectId: projectOf(destination), iid: iidOf(externalId), url };
      return gitlabReferences(api, at, SUBJECT.ticket(destination, externalId));
    },

    check: (destination) => checkGitlab(api, destination),
  };
};
