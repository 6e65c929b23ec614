import { and, eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { db } from "@/db/pool";
import { memberships } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { MINUTE_MS } from "@/server/platform/durations";
import { verifyApiKey } from "@/server/services/api-keys";
import { createProject, enterProject, getProject, listProjects, renameProject, roleIn, startProject } from ".";

test("a project's creator owns it and gets a default key", async () => {
  const { userId } = await testProject();
  const { project, apiKey, secret } = await startProject({ db: db(), userId }, { name: " Shop " });
  expect(project.name).toBe("Shop");
  expect(apiKey).toMatchObject({ name: "Default key", createdBy: userId });
  const { actor } = await verifyApiKey(db(), secret);
  expect(actor.capabilities).toContain("telemetry:write");
  expect(actor.capabilities.filter((one) => !/:read$|^telemetry:write$/.test(one))).toEqual([]);
  expect(await roleIn(db(), { projectId: project.id, userId })).toBe("owner");
});

test("a project without an owner is not created", async () => {
  await expect(createProject(db(), { name: "Orphan", ownerUserId: "usr_none" })).rejects.toThrow();
  await expect(createProject(db(), { name: " ", ownerUserId: "usr_none" })).rejects.toMatchObject({
    issues: [{ path: ["name"] }],
  });
});

test("a person sees their own projects, sorted by name", async () => {
  const { userId } = await testProject();
  const other = await testProject();
  for (const name of ["zebra", "Apple"]) await createProject(db(), { name, ownerUserId: userId });
  const { projects } = await listProjects({ db: db(), userId }, {});
  expect(projects.map(({ name }) => name)).toEqual(["Apple", "Test project", "zebra"]);
  expect(projects.map(({ id }) => id)).not.toContain(other.ctx.projectId);
});

test("a member reads the project, and an owner renames it", async () => {
  const { ctx } = await testProject();
  expect((await renameProject(ctx, { name: "Renamed" })).project).toEqual((await getProject(ctx, {})).project);
  const viewer = await testProject("viewer");
  expect((await getProject(viewer.ctx, {})).project.id).toBe(viewer.ctx.projectId);
  await expect(renameProject(viewer.ctx, { name: "Mine" })).rejects.toMatchObject({ code: "forbidden" });
});

test("a key that only sends telemetry cannot read the project", async () => {
  const { asKey } = await testProject();
  await expect(getProject(asKey("telemetry:write"), {})).rejects.toMatchObject({ code: "forbidden" });
});

test("a visit lasts until half an hour without a request, and only the person's own in that project counts", async () => {
  const [{ ctx, userId }, other] = [await testProject(), await testProject()];
  await db().insert(memberships).values({ projectId: other.ctx.projectId, userId, role: "viewer" });
  const of = { projectId: ctx.projectId, userId };
  const theirs = and(eq(memberships.projectId, ctx.projectId), eq(memberships.userId, userId));
  const read = async () => (await db().select().from(memberships).where(theirs))[0]!;
  const ago = async (minutes: number) => {
    const at = Date.now() - minutes * MINUTE_MS;
    await db().update(memberships).set({ visitedAt: at }).where(theirs);
    return at;
  };

  expect(await enterProject(db(), of)).toBe("owner");
  const first = await read();
  expect(first.visitedAt).not.toBeNull();
  expect(first.visitedBeforeAt).toBeNull();

  // Within a minute nothing is written, and within half an hour it stays the same visit.
  const [writtenBy] = await db().select({ xmin: sql`xmin` }).from(memberships).where(theirs);
  await enterProject(db(), of);
  expect(await db().select({ xmin: sql`xmin` }).from(memberships).where(theirs)).toEqual([writtenBy]);
  const inVisit = await ago(29);
  await enterProject(db(), of);
  expect((await read()).visitedAt).toBeGreaterThan(inVisit);
  expect((await read()).visitedBeforeAt).toBeNull();

  const last = await ago(31);
  await enterProject(db(), of);
  expect(await read()).toMatchObject({ visitedBeforeAt: last });
  const elsewhere = await db().select().from(memberships).where(eq(memberships.projectId, other.ctx.projectId));
  expect(elsewhere.map(({ visitedAt }) => visitedAt)).toEqual([null, null]);
  expect(await enterProject(db(), { ...of, projectId: "prj_none" })).toBeUndefined();
});
