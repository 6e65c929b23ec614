import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startGithub } from "@/testbed/trackers/github-server";
import { startGitlab } from "@/testbed/trackers/gitlab-server";
import { startJira } from "@/testbed/trackers/jira-server";
import { startLinear } from "@/testbed/trackers/linear-server";
import type { SimulatedTracker } from "@/testbed/trackers/simulated-tracker";
import { newProject } from "../testbed/data/project";
import { send } from "../testbed/data/said";
import { failedBooking } from "../testbed/product/failures";
import { startProduct } from "../testbed/product/product";
import { bound, machine, percentile } from "./lib/machine";

/**
 * Run by `npm run bench -- handoff`: measures how long after a ticket is closed in its tracker the Finding is resolved in the
 * running product, for each simulated tracker: through a signed webhook delivery, and through polling alone.
 */
const BY_WEBHOOK_MS = 5_000;
const BY_POLL_MS = 60_000;
/** Tickets are closed at random times within it, so that they cover every moment between two polls. */
const POLL_INTERVAL_MS = 20_000;
const LOOK_MS = 100;
/** After this long a Finding counts as never resolved. */
const GIVE_UP_MS = 3 * BY_POLL_MS;

const { values } = parseArgs({ options: { tickets: { type: "string", default: "10" } } });
/** Tickets for each tracker and each of the two ways. */
const TICKETS = Number(values.tickets);

const TRACKERS: [label: string, kind: string, start: () => Promise<SimulatedTracker>][] = [
  ["GitHub", "github", startGithub],
  ["GitLab", "gitlab", startGitlab],
  ["Linear", "linear", () => startLinear()],
  ["Jira Cloud", "jira", () => startJira({ deployment: "Cloud" })],
  ["Jira Data Center", "jira", () => startJira({ deployment: "Server" })],
];

// biome-ignore lint/suspicious/noExplicitAny: a benchmark reads replies as a client without types does
type Row = Record<string, any>;
type Way = "webhook" | "poll";

console.log(`${machine()}, load average ${loadavg()[0]?.toFixed(1)}`);
const product = await startProduct({ env: { DIAGNOSE_AFTER_QUIET_SECONDS: "1", OUTBOUND_ALLOW: "127.0.0.1" } });

/** Returns the time at which a condition becomes true; throws if it never does. */
async function until(what: string, isSo: () => Promise<boolean>): Promise<number> {
  const begun = performance.now();
  while (!(await isSo())) {
    if (performance.now() - begun > GIVE_UP_MS) throw new Error(`Never: ${what}.`);
    await sleep(LOOK_MS);
  }
  return performance.now();
}

async function newTenant() {
  const project = await newProject(product.url, product.dataDir);
  const key = await project.newKey("diagnostics:write", "diagnostics:read", "connections:manage", "telemetry:write");
  return { project, key };
}

type Tenant = Awaited<ReturnType<typeof newTenant>> & { label: string; kind: string; tracker: SimulatedTracker };

/** Hands Findings of a new project to a tracker, and returns a function that closes their tickets. */
async function linked({ project, key, label, kind, tracker }: Tenant) {
  async function call(method: string, path: string, body?: object): Promise<Row> {
    const reply = await fetch(`${project.url}/v1/projects/${project.projectId}/${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!reply.ok) throw new Error(`${label}, ${path}: ${reply.status} ${await reply.text()}`);
    return reply.json();
  }
  const { baseUrl, secret, destination } = tracker;
  const settings = { defaultDestination: destination };
  const { connection } = await call("POST", "connections", { kind, name: label, baseUrl, secret, settings });
  tracker.webhookSecret = (await call("POST", `connections/${connection.id}/webhook`)).webhook.secret;

  const count = 2 * TICKETS;
  const conversations = Array.from({ length: count }, (_, n) => ({
    id: `failed-${n}`,
    said: failedBooking(
      `book_${"abcdefghijklmnopqrstuvwxyz"[n % 26]}${"abcdefghijklmnopqrstuvwxyz"[Math.floor(n / 26)]}`,
    ),
    startedAt: Date.now() - 60_000,
  }));
  await send({ url: project.url, secret: key }, conversations);
  const found = async (): Promise<Row[]> =>
    (await call("GET", "diagnostics/findings?ruleId=tool-failure&limit=500")).findings;
  await until(`${count} Findings`, async () => (await found()).length >= count);
  const findingIds = (await found()).map(({ id }) => id).slice(0, count);
  await call("POST", "work-items/batch", { findingIds, provider: kind });
  const open = async (): Promise<Row[]> => (await call("GET", "work-items?state=open&limit=500")).workItems;
  await until(`${count} tickets`, async () => (await open()).length === count);
  const items = await open();

  /** Closes a ticket in the tracker, and returns after how many ms its Finding is resolved in the product. */
  async function close({ externalId, findingId }: Row, way: Way): Promise<number> {
    const begun = performance.now();
    tracker.setDone(externalId, true);
    if (way === "webhook") {
      const { headers, body } = tracker.delivery(externalId);
      const hook = `${project.url}/v1/tracker-webhooks/${project.projectId}/${connection.id}`;
      const reply = await fetch(hook, { method: "POST", headers, body });
      if (!reply.ok) throw new Error(`${label}: the delivery was refused: ${reply.status} ${await reply.text()}`);
    }
    const isResolved = async () =>
      (await call("GET", `diagnostics/findings/${findingId}`)).finding.resolutionStatus === "resolved";
    return (await until(`${label}, ${way}: the Finding is resolved`, isResolved)) - begun;
  }

  return async (way: Way) => {
    const took: number[] = [];
    for (const item of way === "webhook" ? items.slice(0, TICKETS) : items.slice(TICKETS)) {
      if (way === "poll") await sleep(Math.random() * POLL_INTERVAL_MS);
      took.push(await close(item, way));
    }
    return took;
  };
}

const trackers: SimulatedTracker[] = [];
try {
  const projects = await Promise.all(TRACKERS.map(newTenant));
  for (const [, , start] of TRACKERS) trackers.push(await start());
  const parties = await Promise.all(
    TRACKERS.map(async ([label, kind], n) => ({
      label,
      run: await linked({ ...projects[n]!, label, kind, tracker: trackers[n]! }),
    })),
  );
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  for (const [way, mostMs] of [
    ["webhook", BY_WEBHOOK_MS],
    ["poll", BY_POLL_MS],
  ] as const) {
    const results = await Promise.all(parties.map(async ({ label, run }) => ({ label, took: await run(way) })));
    console.log(`\nby ${way}, all trackers at once, load average ${loadavg()[0]?.toFixed(1)}`);
    for (const { label, took } of results) {
      const slowest = Math.max(...took);
      const figure = `median ${seconds(percentile(took, 0.5))}, slowest ${seconds(slowest)} of ${took.length}, at most ${seconds(mostMs)}`;
      bound(label, slowest <= mostMs, figure);
    }
  }
} finally {
  for (const tracker of trackers) await tracker.stop();
  await product.stop();
}
