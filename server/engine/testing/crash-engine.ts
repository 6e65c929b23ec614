import { Inngest } from "inngest";
import type postgres from "postgres";
import { db } from "@/db/pool";
import { outboxFetch } from "../events/outbox-fetch";

/**
 * The work of a process that is killed. Each step has an effect in the database, keyed by run and step as every
 * step's effect must be, and counts its attempts.
 */
export const crashClient = new Inngest({
  id: "crash",
  isDev: true,
  baseUrl: "http://embedded.invalid",
  fetch: outboxFetch(db),
  aiMetadata: false,
  logger: { debug() {}, info() {}, warn() {}, error() {} },
});

const STEPS = 4;

/** An advisory lock for a run's last step: no run ends while a test holds it. */
export const LAST_STEP = 1;

export function crashFunctions(sql: postgres.Sql) {
  return [
    crashClient.createFunction({ id: "work", triggers: { event: "go" } }, async ({ event, step }) => {
      for (let i = 0; i < STEPS; i += 1) {
        await step.run(`step-${i}`, async () => {
          await sql`insert into tries (key) values (${`${event.data.n}/${i}`})`;
          await new Promise((resolve) => setTimeout(resolve, 15));
          if (i === STEPS - 1) await sql`select pg_advisory_xact_lock_shared(${LAST_STEP})`;
          await sql`insert into effects (key) values (${`${event.data.n}/${i}`}) on conflict do nothing`;
        });
      }
    }),
  ];
}
