import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { db } from "@/db/pool";
import { testProject } from "@/db/testing/test-project";
import { amount } from "@/scripts/lib/testing/amounts.mjs";
import { loadSample } from "@/server/services/sample";
import { killRepeatedly } from "./testing/kill-repeatedly";

const KILLS = amount(3, 6);
const WITHIN_MS = 400;

test("a sample load that is killed repeatedly stores every conversation once and has the same results", async () => {
  const { userId } = await testProject();
  const { project } = await loadSample({ db: db(), userId }, {});
  const one = async <T>(query: ReturnType<typeof sql>) => ((await db().execute(query))[0] as { value: T }).value;
  const isRunning = async () =>
    (await one<string>(sql`select state as value from sample_projects where project_id = ${project.id}`)) === "loading";
  const progress = () =>
    one<number>(sql`
      select (select count(*) from spans where project_id = ${project.id})::int +
        (select count(*) from rule_runs where project_id = ${project.id} and status = 'completed')::int as value`);
  const args = ["sample", project.id];
  expect(await killRepeatedly({ args, isRunning, progress, withinMs: WITHIN_MS }, KILLS)).toBeGreaterThan(0);
  const [found] = await db().execute(sql`
    select (select count(*)::int from conversations where project_id = ${project.id}) as conversations,
      (select sum(occurrence_count)::int from findings where project_id = ${project.id}
        and signal in ('language_mismatch', 'repeated_tool_call', 'contradicts_tool_result', 'ignored_correction', 'empty_response', 'refusal')) as planted,
      (select count(*)::int from datasets where project_id = ${project.id}) as datasets,
      (select count(*)::int from training_jobs where project_id = ${project.id} and status = 'succeeded') as trained,
      (select string_agg(kind || ' ' || status || ' ' || coalesce(verdict, ''), ', ' order by kind, verdict)
        from evaluations where project_id = ${project.id}) as evaluated`);
  expect(found).toEqual({
    conversations: 400,
    planted: 88,
    datasets: 2,
    trained: 1,
    evaluated: "examples succeeded , finding succeeded not_proven, finding succeeded proven, finding succeeded proven",
  });
}, 180_000);
