import { expect, test } from "vitest";
import { db } from "@/db/pool";
import { testProject } from "@/db/testing/test-project";
import { verifyApiKey } from "@/server/services/api-keys";
import { createProject, getProject, listProjects, renameProject, roleIn, startProject } from ".";

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
