import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { db } from "@/db/pool";
import { datasets, knowledgeGoals } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { newId } from "@/server/platform/ids";
import {
  createKnowledgeGoal,
  deleteKnowledgeGoal,
  getKnowledgeGoal,
  listKnowledgeGoals,
  updateKnowledgeGoal,
} from "..";
import { GOALS_MAX } from "./schemas";

const REFUNDS = { title: "Refunds", description: "Within 30 days.", keyPhrases: ["refund", "money back", "refund"] };

test("a goal is created, read, listed newest first, changed and deleted", async () => {
  const { ctx } = await testProject();
  const { knowledgeGoal: first } = await createKnowledgeGoal(ctx, REFUNDS);
  expect(first).toMatchObject({ ...REFUNDS, keyPhrases: ["refund", "money back"] });
  const { knowledgeGoal: second } = await createKnowledgeGoal(ctx, { title: "Opening hours" });
  expect(second).toMatchObject({ description: "", keyPhrases: [] });

  const page = await listKnowledgeGoals(ctx, { limit: 1 });
  expect(page.knowledgeGoals).toEqual([second]);
  const rest = await listKnowledgeGoals(ctx, { limit: 1, cursor: page.nextCursor! });
  expect(rest).toEqual({ knowledgeGoals: [first], nextCursor: null });

  const { knowledgeGoal: changed } = await updateKnowledgeGoal(ctx, { knowledgeGoalId: first.id, title: "Returns" });
  expect(changed).toMatchObject({ title: "Returns", description: REFUNDS.description });
  expect(await getKnowledgeGoal(ctx, { knowledgeGoalId: first.id })).toEqual({ knowledgeGoal: changed });

  expect(await deleteKnowledgeGoal(ctx, { knowledgeGoalId: first.id })).toEqual({ ok: true });
  await expect(getKnowledgeGoal(ctx, { knowledgeGoalId: first.id })).rejects.toMatchObject({ code: "not_found" });
});

test("a deleted goal is removed from the filters of its project's Datasets only", async () => {
  const [ours, theirs] = [(await testProject()).ctx, (await testProject()).ctx];
  const { knowledgeGoal: kept } = await createKnowledgeGoal(ours, { title: "Kept" });
  const { knowledgeGoal: gone } = await createKnowledgeGoal(ours, { title: "Gone" });
  const stored = async (projectId: string, ids: string[] | undefined) => {
    const id = newId("ds");
    const collectionFilters = ids ? { knowledgeGoalIds: ids } : {};
    await db()
      .insert(datasets)
      .values({ projectId, id, name: "D", collectionFilters, actorKind: "operator", actorId: null });
    return id;
  };
  const both = await stored(ours.projectId, [kept.id, gone.id]);
  const only = await stored(ours.projectId, [gone.id]);
  const every = await stored(ours.projectId, undefined);
  const other = await stored(theirs.projectId, [gone.id]);

  await expect(deleteKnowledgeGoal(theirs, { knowledgeGoalId: gone.id })).rejects.toMatchObject({ code: "not_found" });
  await deleteKnowledgeGoal(ours, { knowledgeGoalId: gone.id });
  const rows = await db().execute<{ id: string; filters: object }>(
    sql`select id, collection_filters as filters from datasets where project_id in (${ours.projectId}, ${theirs.projectId})`,
  );
  expect(Object.fromEntries(rows.map(({ id, filters }) => [id, filters]))).toEqual({
    [both]: { knowledgeGoalIds: [kept.id] },
    [only]: { knowledgeGoalIds: [] },
    [every]: {},
    [other]: { knowledgeGoalIds: [gone.id] },
  });
});

test("goals need the right to manage models, and another project's are not found", async () => {
  const { ctx, asKey } = await testProject();
  const { knowledgeGoal } = await createKnowledgeGoal(asKey("models:manage"), REFUNDS);
  const { id: knowledgeGoalId } = knowledgeGoal;
  await expect(createKnowledgeGoal(asKey("workspace:read"), REFUNDS)).rejects.toMatchObject({ code: "forbidden" });
  await expect(getKnowledgeGoal(asKey("models:manage"), { knowledgeGoalId })).rejects.toMatchObject({
    code: "forbidden",
  });
  const { ctx: other } = await testProject();
  expect((await listKnowledgeGoals(other, {})).knowledgeGoals).toEqual([]);
  for (const refused of [
    () => getKnowledgeGoal(other, { knowledgeGoalId }),
    () => updateKnowledgeGoal(other, { knowledgeGoalId, title: "Theirs" }),
    () => deleteKnowledgeGoal(other, { knowledgeGoalId }),
  ])
    await expect(refused()).rejects.toMatchObject({ code: "not_found" });
  expect((await getKnowledgeGoal(ctx, { knowledgeGoalId })).knowledgeGoal).toEqual(knowledgeGoal);
});

test("a project has a limited number of goals, even when they are created concurrently", async () => {
  const { ctx } = await testProject();
  await db().execute(sql`
    insert into knowledge_goals (project_id, id, title, key_phrases, actor_kind)
    select ${ctx.projectId}, 'kg_' || n, 'Goal', '{}', 'operator' from generate_series(1, ${GOALS_MAX - 1}::int) n`);
  const created = await Promise.allSettled(Array.from({ length: 4 }, () => createKnowledgeGoal(ctx, REFUNDS)));
  expect(created.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(await db().$count(knowledgeGoals, eq(knowledgeGoals.projectId, ctx.projectId))).toBe(GOALS_MAX);
  await expect(createKnowledgeGoal(ctx, REFUNDS)).rejects.toMatchObject({ code: "conflict" });
});
