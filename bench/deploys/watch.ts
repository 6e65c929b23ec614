import { readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";
import type { Trainer } from "../../testbed/servers/real-trainer";
import { type Look, Silences } from "./silences";

const LOOK_MS = 250;
const ANSWER_WITHIN_MS = 10_000;

const ASKED = { messages: [{ role: "user", content: "weather 1" }], max_tokens: 1, temperature: 0 };

/**
 * Repeatedly checks all deployments reported as running: how many run under one name, and whether each answers. Calls go to
 * the models' servers, because a failed call through the gateway makes the product check the deployment.
 */
export function watch(sql: postgres.Sql, projectId: string, trainer: Trainer, isAllThere: () => boolean) {
  const silences = new Silences();
  const doubled: string[] = [];
  let looks = 0;
  let isOver = false;

  const answers = async (id: string, name: string) => {
    const read = (file: string) => readFileSync(path.join(trainer.home, "deployments", id, file), "utf8");
    const { port } = JSON.parse(read("deployment.json")) as { port: number | null };
    if (port === null) return false;
    const reply = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${read("token").trim()}`, "content-type": "application/json" },
      body: JSON.stringify({ ...ASKED, model: name }),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    }).catch(() => undefined);
    await reply?.arrayBuffer().catch(() => {});
    return reply?.status === 200;
  };

  async function look() {
    const rows = await sql<{ id: string; name: string }[]>`
      select id, name from deployments where project_id = ${projectId} and status = 'running'`;
    const names = rows.map(({ name }) => name);
    if (new Set(names).size < names.length) doubled.push(rows.map(({ id, name }) => `${id} as ${name}`).join(", "));
    const at = performance.now();
    const seen = await Promise.all(
      rows.map(async ({ id, name }): Promise<Look> => {
        const wasAllThere = isAllThere();
        const hasAnswered = await answers(id, name);
        return { id, at, hasAnswered, isAllThere: wasAllThere && isAllThere() };
      }),
    );
    silences.look(at, seen);
    looks += 1;
  }

  const watching = (async () => {
    while (!isOver) {
      await look();
      await sleep(LOOK_MS);
    }
  })();

  return {
    async stop() {
      isOver = true;
      await watching;
      return { looks, doubled, silences: silences.all(performance.now()) };
    },
  };
}
