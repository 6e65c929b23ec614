import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { db, pool } from "@/db/pool";
import { projects } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { projectPool } from "./project-pool";

test("a project's hanging statements do not block other projects, nor its own statements once they end", async () => {
  const [slow, quick] = [await testProject(), await testProject()];
  const theirs = projectPool(db(), slow.ctx.projectId);
  const ours = projectPool(db(), quick.ctx.projectId);
  const LOCK = 4711;
  const holder = await pool().sql.reserve();
  await holder`select pg_advisory_lock(${LOCK})`;
  let hanging = 0;
  const many = Array.from({ length: 40 }, () => {
    hanging += 1;
    return theirs.execute(sql`select pg_advisory_xact_lock_shared(${LOCK})`).finally(() => {
      hanging -= 1;
    });
  });
  try {
    const found = await ours.select({ id: projects.id }).from(projects).where(sql`id = ${quick.ctx.projectId}`);
    expect(found).toEqual([{ id: quick.ctx.projectId }]);
    const name = await ours.transaction(async (tx) => {
      await tx.execute(sql`update projects set name = 'Quick' where id = ${quick.ctx.projectId}`);
      const [row] = await tx.execute<{ name: string }>(
        sql`select name from projects where id = ${quick.ctx.projectId}`,
      );
      return row?.name;
    });
    expect(name).toBe("Quick");
    expect(hanging).toBe(40);
  } finally {
    await holder`select pg_advisory_unlock(${LOCK})`;
    holder.release();
  }
  await Promise.all(many);
  expect(await theirs.execute(sql`select 1 as one`)).toMatchObject([{ one: 1 }]);
});
