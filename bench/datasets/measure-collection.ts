import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { COLLECTION_OBJECTIVES } from "@/db/schema/enumerations";
import { cli } from "../../testbed/data/project";
import { startProduct } from "../../testbed/product/product";
import { conversationsOf, fillForBackfill, PROJECT } from "../backfill/fill";
import { bound, percentile } from "../lib/machine";
import { atPace, type Paced } from "../lib/pace";
import { readerOf, slowestKinds } from "../lib/reads";
import { filledDatabase } from "./database";

const BOUND_MINUTES = 10;
const BOUND_AT = 100_000;
const PAGES_P95_MS = 300;
const READS_PER_SECOND = 4;
const READ_WINDOW_MS = 4_000;
const CAPABILITIES = ["models:manage", "workspace:read", "telemetry:write", "project:data:read", "diagnostics:read"];

/** Adds praise from the user to every fifth conversation, so that there is something to propose. */
const praise = (sql: postgres.Sql) => sql`
  insert into feedback (project_id, id, conversation_id, kind, value, given_by_user, source, identity, given_at)
  select project_id, 'fb_' || id, id, 'thumb', '"up"', true, 'api', 'bench ' || id, last_activity_at
  from conversations where project_id = ${PROJECT} and abs(hashtext(id)) % 5 = 0`;

type Pass = {
  id: string;
  status: string;
  conversationsRead: number;
  proposed: number;
  left: Record<string, number>;
  error: string | null;
};

/** Collects for each objective from stored conversations through the running product, while a person reads pages. */
export async function measureCollection(folder: string, conversations: number, progress: (line: string) => void) {
  const database = await filledDatabase(folder, async (url, { sql }) => {
    await fillForBackfill(url, conversations, progress, { diagnosed: true });
    await praise(sql);
  });
  const sql = postgres(database.url, { max: 1, onnotice: () => {} });
  const stored = await conversationsOf(sql);
  const secretOfInstallation = process.env.WHETSTONE_SECRET ?? "";
  process.env.DATABASE_URL = database.url;
  progress("starting the product");
  const product = await startProduct({ env: { DATABASE_URL: database.url, WHETSTONE_SECRET: secretOfInstallation } });
  try {
    const { secret } = cli(
      product.dataDir,
      "key",
      "create",
      "--project",
      PROJECT,
      ...CAPABILITIES.flatMap((name) => ["--capability", name]),
    );
    const ask = async <Reply>(at: string, body?: object): Promise<Reply> => {
      const reply = await fetch(`${product.url}/v1/projects/${PROJECT}/${at}`, {
        headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
        ...(body ? { method: "POST", body: JSON.stringify(body) } : {}),
      });
      if (!reply.ok) throw new Error(`${at}: ${reply.status} ${await reply.text()}`);
      return reply.json() as Promise<Reply>;
    };
    const collect = async (objective: string) => {
      const { dataset } = await ask<{ dataset: { id: string } }>("datasets", {
        name: objective,
        collectionObjective: objective,
        collectionEnabled: true,
      });
      const at = `datasets/${dataset.id}/collection-passes`;
      const began = performance.now();
      const window = { startMs: 0, endMs: Date.now() + 86_400_000, maxConversations: stored };
      let { collectionPass: pass } = await ask<{ collectionPass: Pass }>(at, window);
      while (["queued", "running"].includes(pass.status)) {
        await sleep(500);
        ({ collectionPass: pass } = await ask<{ collectionPass: Pass }>(`${at}/${pass.id}`));
      }
      const seconds = (performance.now() - began) / 1000;
      progress(
        `${objective}: ${pass.status}, ${pass.conversationsRead} conversations in ${seconds.toFixed(1)} s, ${pass.proposed} proposed, left ${JSON.stringify(pass.left)}`,
      );
      return { ...pass, objective, seconds };
    };

    await ask("knowledge-goals", { title: "Refunds", keyPhrases: ["refund"] });
    const reader = readerOf({ url: product.url, projectId: PROJECT, secret });
    await reader.read(0);
    let isDone = false;
    const reading = (async () => {
      const all: Paced = { took: [], failed: [], latest: 0 };
      while (!isDone) {
        const from = all.took.length + all.failed.length;
        const window = { perSecond: READS_PER_SECOND, atOnce: 8, until: performance.now() + READ_WINDOW_MS };
        const { took, failed } = await atPace(window, (nth) => reader.read(from + nth));
        all.took.push(...took.map((read) => ({ ...read, nth: from + read.nth })));
        all.failed.push(...failed);
      }
      return all;
    })();
    const passes = [];
    for (const objective of COLLECTION_OBJECTIVES) passes.push(await collect(objective));
    isDone = true;
    const { took, failed } = await reading;

    const slowest = passes.reduce((a, b) => (b.seconds > a.seconds ? b : a));
    const seconds = (BOUND_MINUTES * 60 * stored) / BOUND_AT;
    bound(
      `collection over ${stored.toLocaleString("en")} conversations within ${seconds.toFixed(0)} s, slowest of ${passes.length} objectives`,
      slowest.seconds <= seconds &&
        passes.every((one) => one.status === "completed" && one.conversationsRead === stored),
      `${slowest.seconds.toFixed(1)} s (${slowest.objective})`,
    );
    const p95 = percentile(
      took.map(({ value }) => value),
      0.95,
    );
    bound(
      `p95 of ${took.length} reads meanwhile within ${PAGES_P95_MS} ms, none refused`,
      p95 <= PAGES_P95_MS && failed.length === 0,
      `${p95.toFixed(0)} ms (${slowestKinds(took)})${failed[0] ? `; ${failed[0]}` : ""}`,
    );
  } finally {
    await sql.end({ timeout: 5 });
    await product.stop();
    await database.stop();
  }
}
