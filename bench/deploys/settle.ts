import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";
import { serversOf } from "../../testbed/servers/model-servers";
import type { Trainer } from "../../testbed/servers/real-trainer";

/** A replaced deployment may take 30 s to drain and 10 s to end; one whose server was killed reloads its model. */
const REST_WITHIN_MS = 120_000;
const ANSWER_WITHIN_MS = 60_000;
const LOOK_MS = 250;

type Row = { id: string; name: string; status: string; dueAt: string | null };
type Gateway = { base: string; secret: string };

const deploymentsOf = async (sql: postgres.Sql, projectId: string): Promise<Row[]> => [
  ...(await sql<Row[]>`
    select id, name, status, due_at as "dueAt" from deployments where project_id = ${projectId} order by id`),
];

const ENDED = ["stopped", "failed", "timeout"];

/** Returns what is not at rest: deployments that neither run nor have ended, and servers of deployments that do not run. */
async function restless(sql: postgres.Sql, projectId: string, trainer: Trainer): Promise<string[]> {
  const rows = await deploymentsOf(sql, projectId);
  const statusOf = new Map(rows.map(({ id, status }) => [id, status]));
  const servers = serversOf(trainer.home);
  const open = rows.filter(({ status, dueAt }) => (ENDED.includes(status) ? dueAt !== null : status !== "running"));
  return [
    ...open.map(({ id, name, status }) => `${id} (${name}) is ${status}`),
    ...servers
      .filter(({ deploymentId }) => statusOf.get(deploymentId) !== "running")
      .map(({ pid, deploymentId }) => `server ${pid} of ${deploymentId}, which is ${statusOf.get(deploymentId)}`),
  ];
}

/** Calls a model name through the gateway; returns the status and body of a failure, or null if the model answered. */
async function refusalOf({ base, secret }: Gateway, name: string): Promise<string | null> {
  const reply = await fetch(`${base}/deployments/${name}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({ model: name, messages: [{ role: "user", content: "weather 1" }], max_tokens: 8 }),
    signal: AbortSignal.timeout(30_000),
  }).catch((error: unknown) => String(error));
  if (typeof reply === "string") return reply;
  const text = await reply.text();
  return reply.status === 200 && JSON.parse(text).choices?.[0]?.message
    ? null
    : `${reply.status} ${text.slice(0, 200)}`;
}

/** Waits until nothing changes any more, and returns what is wrong then. */
export async function settle(sql: postgres.Sql, projectId: string, trainer: Trainer, gateway: Gateway) {
  const begun = Date.now();
  let open = await restless(sql, projectId, trainer);
  while (open.length > 0 && Date.now() - begun < REST_WITHIN_MS) {
    await sleep(LOOK_MS);
    open = await restless(sql, projectId, trainer);
  }
  const breaches = open.map((one) => `not at rest: ${one}`);
  const running = async () => (await deploymentsOf(sql, projectId)).filter(({ status }) => status === "running");
  for (const { name } of await running()) {
    const askedAt = Date.now();
    let refusal = await refusalOf(gateway, name);
    // A killed server is loaded again: by then its deployment either is no longer reported as running or answers.
    while (refusal !== null && Date.now() - askedAt < ANSWER_WITHIN_MS) {
      if (!(await running()).some((row) => row.name === name)) break;
      await sleep(LOOK_MS);
      refusal = await refusalOf(gateway, name);
    }
    if (refusal !== null && (await running()).some((row) => row.name === name))
      breaches.push(`${name} is said to run and does not answer: ${refusal}`);
  }
  return breaches;
}

/** Waits until no server of the trainer's home is left; returns those that remain. */
export async function leftServers(trainer: Trainer) {
  for (const begun = Date.now(); Date.now() - begun < REST_WITHIN_MS; await sleep(LOOK_MS))
    if (serversOf(trainer.home).length === 0) return [];
  return serversOf(trainer.home).map(({ pid, deploymentId }) => `server ${pid} of ${deploymentId}`);
}
