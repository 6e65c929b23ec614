import type { Browser, Page } from "@playwright/test";
import type { Sql } from "postgres";
import { newProject, type TestProject } from "../../testbed/data/project";
import { storeJob } from "../../testbed/product/jobs";
import { runningDatabase } from "../../testbed/product/running-database";
import { press } from "../support/press";
import { seen } from "../support/seen";
import { signIn } from "../support/sign-in";
import { expect, test } from "../support/test";

/** Background jobs: people with the right role find, understand and replay failures within their project. */

/** All attempts of a measurement take about seven seconds. */
const FAILS_WITHIN_MS = 60_000;
const MEASURE = "Measure stored size";

let sql: Sql;
let project: TestProject;

test.beforeAll(() => {
  sql = runningDatabase();
});
test.afterAll(() => sql.end());

test.beforeEach(async ({ page, baseURL }) => {
  test.setTimeout(180_000);
  project = await newProject(baseURL!);
  await signIn(page, project);
});

const at = (path: string) => `${project.url}/p/${project.projectId}/${path}`;
const peek = (page: Page) => page.getByRole("complementary", { name: "Job", exact: true });
const rows = (page: Page) => page.getByRole("table", { name: "Jobs" }).getByRole("row");
const stateButton = (page: Page, name: string) =>
  page.getByRole("group", { name: "State" }).getByRole("button", { name: new RegExp(`^${name}`) });

/** Makes the database refuse to store the results of measurements, for this project only. Returns a function to fix it. */
async function breakMeasurements() {
  const name = `worn_out_${crypto.randomUUID().replaceAll("-", "")}`;
  await sql.unsafe(`create function ${name}() returns trigger language plpgsql as
    $$ begin raise exception 'The tape is worn out.'; end $$;
    create trigger ${name} before insert on stored_sizes for each row
    when (new.project_id = '${project.projectId}') execute function ${name}()`);
  return () => sql.unsafe(`drop function ${name} cascade`);
}

const change = (page: Page, path: string, data: object = {}) =>
  page.request.post(`${project.url}/v1/projects/${project.projectId}/${path}`, {
    headers: { origin: project.url },
    data,
  });

test("a failed job with no retries left is shown, opened, replayed and completed", async ({ page }) => {
  const mend = await breakMeasurements();
  try {
    await page.goto(at("jobs"));
    await expect(page.getByRole("heading", { name: "Jobs" })).toBeVisible();
    expect((await change(page, "storage-measurements")).status()).toBe(202);
    // Shown without a reload.
    await expect(seen(page, "1 job failed with no retries left.")).toBeVisible({ timeout: FAILS_WITHIN_MS });
    await page.getByRole("button", { name: "Show", exact: true }).click();
    await expect(page).toHaveURL(/state=failed/);
    const row = rows(page).filter({ hasText: MEASURE });
    await expect(row).toContainText("Failed");
    await row.getByRole("link", { name: MEASURE }).click();
    await expect(page).toHaveURL(/peek=jr_/);
    await expect(peek(page)).toContainText("No retries left");
    await expect(peek(page).getByLabel("What went wrong")).toContainText("stored_sizes");
    await expect(peek(page).getByRole("listitem").filter({ hasText: "measure" })).toContainText("3 attempts");
  } finally {
    await mend();
  }
  await peek(page).getByRole("button", { name: "Replay" }).click();
  await expect(seen(page, `"${MEASURE}" is queued again.`)).toBeVisible();
  await expect(peek(page)).toContainText("Completed", { timeout: 20_000 });
  await expect(peek(page).getByRole("button", { name: "Replay" })).toBeHidden();
  await expect(seen(page, "No failed jobs")).toBeVisible();
  await expect(seen(page, "1 job failed with no retries left.")).toBeHidden();

  await page.getByRole("button", { name: "Show all jobs" }).click();
  await expect(page).not.toHaveURL(/state=/);
  await expect(rows(page).filter({ hasText: MEASURE })).toContainText("Done");

  await page.goto(at("audit?action=backgroundJobs"));
  await expect(seen(page, "Replayed the background job")).toBeVisible();
  await page.getByRole("link", { name: /^jr_/ }).click();
  await expect(peek(page)).toContainText("Completed");
});

test("a waiting job shows when it is due, is cancelled, and is queued again", async ({ page }) => {
  const message = `The provider said: <img src=x onerror="window.__ran = 1"> ${"and so on ".repeat(150)}`;
  await storeJob(sql, project.projectId, {
    state: "queued",
    attempt: 2,
    retries: 2,
    error: { name: "ProviderError", message },
    steps: [{ name: "measure", state: "retrying", attempts: 2, error: { name: "ProviderError", message } }],
  });
  await page.goto(at("jobs"));
  const row = rows(page).filter({ hasText: MEASURE });
  await expect(row).toContainText("Retrying");
  await expect(row).toContainText(/Next attempt in \d+ (min|h)/);
  // Without a mouse: moves to the row and opens it.
  await expect(async () => {
    await page.keyboard.press("j");
    await expect(row.getByRole("link", { name: MEASURE })).toBeFocused({ timeout: 1000 });
  }).toPass();
  await page.keyboard.press("Enter");
  await expect(peek(page).getByLabel("What went wrong")).toContainText('<img src=x onerror="window.__ran = 1">');
  expect(await page.evaluate(() => "__ran" in window)).toBe(false);

  await peek(page).getByRole("button", { name: "Cancel this job" }).click();
  const said = page.getByRole("alert").filter({ hasText: `"${MEASURE}" is cancelled.` });
  await expect(said).toBeVisible();
  await expect(peek(page)).toContainText("Someone cancelled it");
  await said.getByRole("button", { name: "Undo" }).click();
  await expect(seen(page, `"${MEASURE}" is queued again.`)).toBeVisible();
  await expect(peek(page)).toContainText("Completed", { timeout: 20_000 });
  await page.keyboard.press("Escape");
  await expect(peek(page)).toBeHidden();
});

test("all failed jobs are replayed after a confirmation, and one replayed meanwhile does not start twice", async ({
  page,
}) => {
  const job = { state: "failed", error: { name: "Error", message: "The tape is worn out." } } as const;
  const first = await storeJob(sql, project.projectId, job);
  for (let n = 0; n < 3; n++) await storeJob(sql, project.projectId, job);
  await page.goto(at(`jobs?peek=${first}`));
  await expect(seen(page, "4 jobs failed with no retries left.")).toBeVisible();

  // A change that this page does not know about yet.
  await page.route("**/api/trpc/*backgroundJobs.{get,list,summary}**", (route) => route.abort());
  await expect.poll(async () => (await change(page, `background-jobs/${first}/replay`)).status()).toBe(202);
  await expect
    .poll(async () => (await sql`select state from job_runs where id = ${first}`)[0]?.state, { timeout: 20_000 })
    .toBe("completed");
  const refused = page.waitForResponse(/backgroundJobs\.replay/);
  await peek(page).getByRole("button", { name: "Replay" }).click();
  // The page refetches after a refusal, but not for long, so the requests are let through right away.
  await refused;
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await expect(seen(page, "The job has already been replayed, or has changed since then.")).toBeVisible();
  await expect(peek(page)).toContainText("Completed", { timeout: 20_000 });
  await peek(page).getByRole("button", { name: "Close" }).click();

  await page.getByRole("button", { name: "Replay all…" }).click();
  await expect(page.getByRole("dialog")).toContainText(
    "The failed jobs of this project (currently 3) are queued again",
  );
  await page.getByRole("dialog").getByRole("button", { name: "Replay all" }).click();
  await expect(seen(page, "3 jobs queued again.")).toBeVisible();
  await expect(stateButton(page, "Failed")).toHaveText("Failed0", { timeout: 20_000 });
  const left = () => sql`select id from job_runs where project_id = ${project.projectId} and state <> 'completed'`;
  await expect.poll(async () => (await left()).length, { timeout: 30_000 }).toBe(0);
  await stateButton(page, "Done").click();
  await expect(rows(page).filter({ hasText: MEASURE })).toHaveCount(4);
});

test("a viewer sees why a job failed and cannot replay it", async ({ page, browser }) => {
  const id = await storeJob(sql, project.projectId, {
    state: "failed",
    error: { name: "Error", message: "The tape is worn out." },
  });
  const viewer = await joinedAs(page, browser, "viewer");
  await viewer.getByRole("link", { name: /^Settings/ }).click();
  await viewer.getByRole("link", { name: "Jobs", exact: true }).click();
  await expect(seen(viewer, "1 job failed with no retries left.")).toBeVisible();
  await expect(seen(viewer, "Once the cause is fixed, an owner can replay.")).toBeVisible();
  await press(viewer.getByRole("link", { name: MEASURE }), peek(viewer));
  await expect(peek(viewer)).toContainText("The tape is worn out.");
  await expect(peek(viewer)).toContainText("An owner can replay it.");
  await expect(viewer.getByRole("button", { name: /Replay/ })).toHaveCount(0);
  const asked = await viewer.request.post(
    `${project.url}/v1/projects/${project.projectId}/background-jobs/${id}/replay`,
    { headers: { origin: project.url }, data: {} },
  );
  expect(asked.status()).toBe(403);
  await viewer.context().close();
});

test("another project's jobs are not listed, and jobs are filtered by state and function", async ({
  page,
  baseURL,
}) => {
  const other = await newProject(baseURL!);
  const theirs = await storeJob(sql, other.projectId, {
    state: "failed",
    error: { name: "Error", message: "Theirs." },
  });
  const runId = `run_${"0".repeat(32)}`;
  await storeJob(sql, project.projectId, {
    state: "failed",
    functionId: "whetstone-run-rules",
    data: { runIds: [runId] },
  });
  await storeJob(sql, project.projectId, { state: "cancelled" });
  await page.goto(at("jobs"));
  await expect(rows(page).filter({ hasText: "Failed" })).toHaveCount(1);
  await expect(rows(page).filter({ hasText: "Cancelled" })).toHaveCount(1);
  await expect(page.getByText("Theirs.")).toHaveCount(0);
  await page.goto(at(`jobs?peek=${theirs}`));
  await expect(seen(peek(page), "Background job was not found.")).toBeVisible();

  await press(stateButton(page, "Cancelled"), rows(page).filter({ hasText: "Cancelled" }));
  await expect(rows(page)).toHaveCount(2);
  await expect(page).toHaveURL(/state=cancelled/);
  await stateButton(page, "Running").click();
  await expect(seen(page, "No job matches")).toBeVisible();
  await page.getByRole("button", { name: "Show all jobs" }).click();
  await page.getByLabel("Function").selectOption("Execute Rule Runs");
  await expect(rows(page)).toHaveCount(2);
  await page.getByRole("link", { name: "Execute Rule Runs" }).click();
  await expect(peek(page).getByRole("link", { name: runId })).toHaveAttribute(
    "href",
    new RegExp(`rule-runs\\?peek=${runId}$`),
  );
});

/** Another person, in a separate browser, invited by the person signed in on `page`. */
async function joinedAs(page: Page, browser: Browser, role: string): Promise<Page> {
  const { token } = await (await change(page, "invitations", { role })).json();
  const guest = await (await browser.newContext()).newPage();
  await guest.goto(`${project.url}/invite#token=${token}`);
  await guest.getByLabel("Your name").fill("Gus Guest");
  await guest.getByLabel("E-mail").fill(`guest-${crypto.randomUUID()}@example.test`);
  await guest.getByRole("textbox", { name: "Password" }).fill("a long enough password");
  await guest.getByRole("button", { name: "Create account and join" }).click();
  await guest.waitForURL(`**/p/${project.projectId}`);
  return guest;
}
