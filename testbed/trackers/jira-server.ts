import { createHmac, randomUUID } from "node:crypto";
import { type Received, startService } from "@/server/services/connections/testing";
import { jiraRoutes, refusal } from "./jira-routes";
import { jiraSite, STATUSES } from "./jira-site";
import type { SimulatedTracker } from "./simulated-tracker";
import { type Answer, withFaults } from "./with-faults";

const SECRETS = { Cloud: "bot@example.com:ATATTsimulated0123", Server: "SimulatedPersonalToken0123" };
const BASE = "/rest/api/2/";

const limited = (): Answer => ({
  ...refusal(429, "Rate limit exceeded."),
  headers: {
    "retry-after": "1",
    "x-ratelimit-limit": "350",
    "x-ratelimit-remaining": "0",
    "x-ratelimit-reset": new Date(Date.now() + 1000).toISOString(),
  },
});
const WORDS: Record<number, string> = {
  401: "Client must be authenticated to access this resource.",
  403: "You do not have permission to do this.",
  404: "Issue does not exist or you do not have permission to see it.",
};
const failed = (status: number): Answer => refusal(status, WORDS[status] ?? "The request cannot be processed.");

type Options = { deployment: "Cloud" | "Server"; pageMax?: number };

/** For tests: version 2 of the API of Jira Cloud or of a Data Center on loopback, as documented. */
export async function startJira({ deployment, pageMax = 100 }: Options): Promise<SimulatedTracker> {
  const service = await startService(() => undefined);
  const isCloud = deployment === "Cloud";
  const secret = SECRETS[deployment];
  const authorization = isCloud ? `Basic ${Buffer.from(secret).toString("base64")}` : `Bearer ${secret}`;
  const site = jiraSite();
  const routes = jiraRoutes({ site, isCloud, url: () => service.url, lagMs: () => tracker.lagMs, pageMax });
  const issueOf = (externalId: string) => {
    const row = site.issueOf(externalId);
    if (!row) throw new Error(`Jira has no ticket ${externalId}.`);
    return row;
  };

  function answer({ method, path, headers, body }: Received): Answer {
    if (headers.authorization !== authorization) return failed(401);
    const { pathname, searchParams: query } = new URL(path, service.url);
    const below = pathname.startsWith(BASE) ? pathname.slice(BASE.length) : "";
    for (const [verb, pattern, reply] of routes) {
      const match = verb === method ? pattern.exec(below) : null;
      if (match) return reply({ parts: { ...match.groups }, query, body: body === "" ? undefined : JSON.parse(body) });
    }
    return { status: 404, body: { message: "null for uri", "status-code": 404 } };
  }

  const tracker: SimulatedTracker = {
    baseUrl: service.url,
    secret,
    destination: "PROJ",
    unusableDestination: "GONE",
    webhookSecret: "jira-webhook-simulated0123",
    tickets: () =>
      site.issues.map(({ id, key, summary, description, status, labels, others, comments }) => ({
        externalId: id,
        key,
        title: summary,
        body: description,
        state: status.name,
        isDone: status.statusCategory.key === "done",
        labels,
        fields: others,
        comments: comments.map(({ body }) => body),
      })),
    setDone(externalId, done, name) {
      const isWanted = (key: string) => key === (done ? "done" : "new");
      const status = STATUSES.find((one) =>
        name === undefined ? isWanted(one.statusCategory.key) : one.name === name,
      );
      if (!status) throw new Error(`Jira has no state ${name}.`);
      Object.assign(issueOf(externalId), { status, updated: Date.now() });
    },
    remove: (externalId) => site.remove(issueOf(externalId)),
    mention(externalId, { kind, title }) {
      const { links } = issueOf(externalId);
      const isCommit = kind === "commit";
      const path = isCommit ? `commit/${"0123456789abcdef".repeat(2)}` : `pull/${links.length + 1}`;
      const url = `https://github.com/acme/app/${path}`;
      const object = { url, title, ...(!isCommit && { status: { resolved: false } }) };
      links.push({ id: Number(site.nextId()), object, created: Date.now() });
    },
    delivery(externalId) {
      const { id, key, project, summary, status, updated } = issueOf(externalId);
      const body = JSON.stringify({
        timestamp: Date.now(),
        webhookEvent: "jira:issue_updated",
        issue_event_type_name: "issue_generic",
        issue: { id, key, fields: { summary, status, updated, project: { id: "1", key: project.key } } },
      });
      const headers = {
        "content-type": "application/json; charset=utf-8",
        "x-atlassian-webhook-identifier": randomUUID(),
        "x-hub-signature": `sha256=${createHmac("sha256", tracker.webhookSecret).update(body).digest("hex")}`,
      };
      return { headers, body };
    },
    fault: () => undefined,
    lagMs: 0,
    received: service.received,
    stop: () => service.stop(),
  };
  service.reply = withFaults(tracker, answer, { limited, failed });
  return tracker;
}
