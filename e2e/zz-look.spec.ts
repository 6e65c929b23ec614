import { storeJob } from "./support/jobs";
import { newProject } from "./support/project";
import { runningDatabase } from "./support/running-database";
import { seed } from "./support/seed";
import { signIn } from "./support/sign-in";
import { test } from "./support/test";

test("look", async ({ page, baseURL }) => {
  test.setTimeout(240_000);
  const project = newProject(baseURL!);
  await seed(project, [
    { id: "bad", model: "gpt-4o", ask: "Where is order 1042, which I ordered three weeks ago?", answer: "I can't find it.", failingTool: true },
    { id: "good", model: "gpt-4o-mini", ask: "Is it blue?", answer: "It is.", turns: 3 },
    { id: "house", model: "acme", ask: "Is it red?", answer: "It is." },
  ]);
  await signIn(page, project);
  const sql = runningDatabase();
  const [c] = await sql`select id from conversations where project_id = ${project.projectId} limit 1`;
  for (const [n, state] of ["completed", "completed", "completed", "failed", "completed", "completed", "completed", "failed"].entries())
    await storeJob(sql, project.projectId, { state: state as "failed", createdAt: Date.now() - 1000 * n, data: { conversationId: c!.id }, ...(state === "failed" ? { error: { name: "Error", message: "The tape is worn out." } } : {}) });
  const at = `${project.url}/v1/projects/${project.projectId}`;
  const headers = { origin: project.url };
  const { dataset } = await (await page.request.post(`${at}/datasets`, { headers, data: { name: "Refunds and returns" } })).json();
  for (let n = 0; n < 4; n++) await page.request.patch(`${at}/datasets/${dataset.id}`, { headers, data: { name: `Returns ${n}` } });
  await page.request.post(`${at}/api-keys`, { headers, data: { name: "CI", capabilities: ["telemetry:write"] } });
  await page.request.post(`${at}/storage-measurements`, { headers, data: {} });
  const day = Math.floor(Date.now() / 86_400_000) * 86_400_000;
  for (const scheme of ["light", "dark"] as const)
    for (const width of [1440, 390]) {
      await page.emulateMedia({ colorScheme: scheme });
      await page.setViewportSize({ width, height: 900 });
      for (const [name, path] of [["costs", `costs?by=user&days-peek=${day}`], ["audit", "audit"], ["jobs", "jobs"], ["runs", "rule-runs"]] as const) {
        await page.goto(`/p/${project.projectId}/${path}`);
        await page.waitForTimeout(1500);
        await page.screenshot({ path: `/tmp/ha-look/${name}-${scheme}-${width}.png` });
      }
    }
  await sql.end();
});
