import type { Page } from "@playwright/test";
import { newProject, type TestProject } from "../../testbed/data/project";
import { seed, type Talk } from "../../testbed/data/seed";
import { runningDatabase } from "../../testbed/product/running-database";
import { press } from "../support/press";
import { seen } from "../support/seen";
import { signIn } from "../support/sign-in";
import { expect, test } from "../support/test";

/** The Data page (storage, retention, deletion), and the deletion of a single conversation. */

const DAY_MS = 86_400_000;
const JOB_MS = 60_000;
/** A user id as in real applications: arbitrary, bidirectional and long. */
const GONE = `عميل-42/${"a-very-long-id-of-a-tenant/".repeat(9)}end`.slice(0, 256);
const talk = (id: string, ask: string, more: Partial<Talk> = {}): Talk => ({
  id,
  model: "gpt-4o-mini",
  ask,
  answer: "Let me see.",
  ...more,
});

/** For what no API can do: make something old, or replace a person. */
async function inDatabase<T>(work: (sql: ReturnType<typeof runningDatabase>) => Promise<T>): Promise<T> {
  const sql = runningDatabase();
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

let project: TestProject;
let other: TestProject;
const at = (path: string) => `${project.url}/p/${project.projectId}/${path}`;
const asksOf = async (of: TestProject) => {
  const { conversations } = (await of.read("conversations")) as unknown as { conversations: { preview: string }[] };
  return conversations.map(({ preview }) => preview).sort();
};

test.beforeAll(async ({ baseURL }) => {
  other = await newProject(baseURL!);
  await seed(other, [talk("theirs", "Where is their parcel?", { failingTool: true, user: GONE })]);
});
/** Tests that look at Findings wait for the Rules first. */
const LOOKS_AT_FINDINGS = "@findings";
test.beforeEach(async ({ page, baseURL }, { tags }) => {
  test.setTimeout(180_000);
  project = await newProject(baseURL!);
  const talks = [
    talk("one", "Where is my parcel?", { failingTool: true, user: GONE }),
    talk("two", "May I send it back?", { user: GONE }),
    talk("three", "Is it still under warranty?", { failingTool: true }),
    talk("four", "How do I cancel?"),
  ];
  await seed(project, talks, { diagnosed: tags.includes(LOOKS_AT_FINDINGS) });
  await signIn(page, project);
});
test.afterEach(async () => {
  expect(await asksOf(other), "the other project is unchanged").toEqual(["Where is their parcel?"]);
});

/** The number next to a name in the preview of a deletion. */
const impact = (page: Page, name: string) =>
  page
    .getByTestId("impact")
    .filter({ visible: true })
    .last()
    .locator("div", { has: page.getByText(name, { exact: true }) })
    .getByRole("definition");

test("stored size is measured and shown by kind", async ({ page }) => {
  await page.goto(at("data"));
  const sizes = page.getByRole("table", { name: "Stored size by kind" });
  await press(page.getByRole("button", { name: "Measure now" }), sizes.or(seen(page, "Measuring, table by table…")));
  await expect(sizes).toBeVisible({ timeout: JOB_MS });
  await expect(page.getByTestId("stored-size")).toHaveText(/^[\d.]+ [kM]B$/);
  await expect(sizes.getByRole("row", { name: /^Conversations/ })).toContainText("4");
  await expect(page.getByRole("button", { name: "Measure now" })).toBeEnabled({ timeout: JOB_MS });
  await sizes.getByRole("link", { name: "4", exact: true }).click();
  await expect(seen(page, "How do I cancel?")).toBeVisible();
});

test("retention is set after a preview of what it deletes, and only for the previewed number of days", {
  tag: LOOKS_AT_FINDINGS,
}, async ({ page }) => {
  const long = Date.now() - 40 * DAY_MS;
  await inDatabase(
    (sql) => sql`
      update conversations set last_activity_at = ${long}, received_at = ${long}
      where project_id = ${project.projectId} and external_id in ('three', 'four')`,
  );
  await page.goto(at("data"));
  await expect(page.getByTestId("retention").filter({ visible: true })).toHaveText("Conversations are kept forever.");
  const days = page.getByLabel("Days after the last activity");
  await press(page.getByLabel("For a number of days"), days);
  const look = page.getByRole("button", { name: "Show what would be deleted" });
  const keep = page.getByRole("button", { name: /^Keep for \d+ days?$/ });

  await days.fill("0");
  await expect(look).toBeDisabled();
  await days.fill("30");
  await expect(keep).toBeHidden();
  await look.click();
  await expect(impact(page, "Conversations")).toHaveText("2");
  await expect(impact(page, "Findings deleted")).toHaveText("0");
  await expect(page.getByRole("list", { name: "Affected Findings" }).getByRole("link").first()).toContainText(
    "get_order",
  );
  await expect(keep).toHaveText("Keep for 30 days");

  await days.fill("60");
  await expect(keep).toBeHidden();
  await look.click();
  await expect(seen(page, /Nothing is older than 60 days now/)).toBeVisible();
  await keep.click();
  await expect(page.getByTestId("retention")).toHaveText(
    "Conversations are kept for 60 days after their last activity.",
  );
  await expect(seen(page, /deleted in the next daily run, .+:17:00/)).toBeVisible();
  expect(await project.read("retention")).toMatchObject({ retention: { days: 60 } });

  await page.getByLabel("Forever").check();
  await page.getByRole("button", { name: "Keep forever" }).click();
  await expect(page.getByTestId("retention")).toHaveText("Conversations are kept forever.");
  expect(await asksOf(project)).toHaveLength(4);
});

test("an owner turns on masking of credentials in messages with a labelled switch", async ({ page }) => {
  await page.goto(at("data"));
  const masking = page.getByLabel("Mask credentials in messages too");
  await expect(masking).not.toBeChecked();
  // Until the page's script runs, a switch does nothing, and a person would press it again.
  const turn = (messages: boolean) =>
    expect(async () => {
      if ((await masking.isChecked()) !== messages) {
        await masking.click({ timeout: 1000, force: true });
      }
      expect(await project.read("masking")).toEqual({ masking: { messages } });
    }).toPass({ timeout: 30_000 });
  await turn(true);
  await page.reload();
  await expect(masking).toBeChecked();
  await turn(false);
});

test("an owner has calls stored without what is said in them, and reads what is lost", async ({ page }) => {
  await page.goto(at("data"));
  const content = page.getByLabel("Store what is said in calls");
  const lost = page.getByText("Rules cannot read what is not stored");
  await expect(content).toBeChecked();
  await expect(lost).toHaveCount(0);
  await expect(async () => {
    if (await content.isChecked()) await content.click({ timeout: 1000, force: true });
    expect(await project.read("gateway-recording")).toEqual({ recording: { content: false } });
  }).toPass({ timeout: 30_000 });
  await page.reload();
  await expect(content).not.toBeChecked();
  await expect(lost).toBeVisible();
});

test("one conversation is deleted on its own page, and anybody who has it open is notified", {
  tag: LOOKS_AT_FINDINGS,
}, async ({ page, browser }) => {
  test.slow();
  await page.goto(at("conversations"));
  // In a separate window: a browser does not render a background tab.
  const window = await browser.newContext({ storageState: await page.context().storageState() });
  const reader = await window.newPage();
  await reader.goto(at("conversations/three"));
  await expect(seen(reader, "Is it still under warranty?").first()).toBeVisible();

  await page.getByRole("link", { name: "Is it still under warranty?" }).click();
  await page.waitForURL(/conversations\/conv_/);
  const item = page.getByRole("menuitem", { name: "Delete conversation…" });
  await press(page.getByRole("button", { name: "More actions" }), item);
  await item.click();
  const dialog = page.getByRole("dialog", { name: "Delete this conversation?" });
  await expect(impact(page, "Conversations")).toHaveText("1");
  await expect(impact(page, "Findings recounted")).toHaveText(/^[1-9]/);
  const remove = dialog.getByRole("button", { name: "Delete conversation" });
  await dialog.getByLabel("Type delete to confirm").fill("delet");
  await expect(remove).toBeDisabled();
  await dialog.getByLabel("Type delete to confirm").fill("delete");
  await remove.click();

  // The toast stays while the pointer is over it.
  await page.getByRole("link", { name: "View receipt" }).hover();
  await expect(page).toHaveURL(/\/conversations$/);
  await expect(page.getByRole("link", { name: "How do I cancel?" })).toBeVisible();
  await expect(page.getByRole("link", { name: "Is it still under warranty?" })).toBeHidden();
  await page.getByRole("link", { name: "View receipt" }).click();
  const receipt = page.getByRole("dialog", { name: "Receipt of a deletion" });
  await expect(receipt).toContainText("One conversation");
  await expect(receipt).toContainText("nothing was found", { timeout: JOB_MS });
  await expect(seen(reader, "This conversation was deleted")).toBeVisible({ timeout: 60_000 });
  await window.close();
  expect(await asksOf(project)).toEqual(["How do I cancel?", "May I send it back?", "Where is my parcel?"]);
});

test("a user's data is deleted after a preview and a typed confirmation, with a receipt", {
  tag: LOOKS_AT_FINDINGS,
}, async ({ page }) => {
  await page.goto(at("conversations/one"));
  const item = page.getByRole("menuitem", { name: "Delete this user’s data…" });
  await press(page.getByRole("button", { name: "More actions" }), item);
  await item.click();
  await expect(page.getByLabel("User ID")).toHaveValue(GONE);
  await expect(page.getByLabel("User ID")).toBeInViewport();
  await expect(impact(page, "Conversations")).toHaveText("2");
  await expect(impact(page, "Findings recounted")).toHaveText(/^[1-9]/);

  await page.getByRole("button", { name: "Delete this user’s data…" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete this user’s data?" });
  const typed = dialog.getByRole("textbox");
  await expect(dialog.getByRole("button", { name: "Delete everything" })).toBeDisabled();
  await typed.fill(GONE.slice(0, -1));
  await expect(dialog.getByRole("button", { name: "Delete everything" })).toBeDisabled();
  await typed.fill(GONE);
  await dialog.getByRole("button", { name: "Delete everything" }).click();

  const receipt = page.getByRole("dialog", { name: "Receipt of a deletion" });
  await expect(receipt).toContainText("nothing was found", { timeout: JOB_MS });
  await expect(receipt).toContainText("Complete");
  const rows = receipt.getByRole("table", { name: "Rows by kind" });
  await expect(rows.getByRole("row", { name: /^Conversations \d/ })).toHaveText("Conversations2none");
  await expect(rows.getByRole("row", { name: /^Log records/ })).toHaveText("Log records0none");
  await expect(page).toHaveURL(/deletion=del_/);
  await expect(page).not.toHaveURL(/user=/);
  await page.reload();
  await expect(receipt).toContainText("nothing was found");
  await receipt.getByRole("button", { name: "Close" }).click();
  await expect(page).not.toHaveURL(/deletion=/);
  await expect(page.getByRole("table", { name: "Deletions" }).getByRole("row").nth(1)).toHaveText(
    new RegExp(`A user’s data[^]*Complete[^]*2 conversations[^]*${project.email}`),
  );

  await page.goto(at("audit?action=deletions"));
  await page.getByRole("cell").getByRole("link", { name: /^del_/ }).click();
  await expect(receipt).toContainText(project.email);
  expect(await asksOf(project)).toEqual(["How do I cancel?", "Is it still under warranty?"]);
});

test("a viewer sees no controls for deletion, and the Data page is for owners only", async ({ page }) => {
  await page.goto(at("settings"));
  await expect(page.getByRole("link", { name: "Data", exact: true })).toBeVisible();
  await page.goto(at("conversations/one"));
  await expect(page.getByRole("button", { name: "More actions" })).toBeVisible();
  await inDatabase((sql) => sql`update memberships set role = 'viewer' where project_id = ${project.projectId}`);
  await page.reload();
  await expect(seen(page, "Where is my parcel?").first()).toBeVisible();
  await expect(page.getByRole("link", { name: /^Findings/ }).first()).toBeVisible();
  await expect(page.getByRole("button", { name: "More actions" })).toBeHidden();
  await page.goto(at("settings"));
  await expect(page.getByRole("link", { name: "General", exact: true })).toBeVisible();
  await expect(page.getByRole("link", { name: "Data", exact: true })).toBeHidden();
  await page.goto(at("data"));
  await expect(seen(page, "For owners only")).toBeVisible();
  for (const name of [/Delete/, /Measure/, /Keep for/]) {
    await expect(page.getByRole("button", { name })).toHaveCount(0);
  }
  expect(await asksOf(project)).toHaveLength(4);
});

test("a paused compaction of older telemetry is continued and completes in the background", async ({ page }) => {
  await inDatabase(
    (sql) => sql`
      insert into compactions (project_id, state, rows_examined, characters_saved)
      values (${project.projectId}, 'paused', 1234, 5000000)`,
  );
  await page.goto(at("data"));
  const note = page.getByTestId("compaction");
  await expect(note).toContainText("is paused: 1,234 spans and logs checked");
  await press(page.getByRole("button", { name: "Continue" }), page.getByRole("button", { name: "Pause" }));
  await expect(note).toContainText("was compacted", { timeout: 2 * JOB_MS });
  await expect(page.getByRole("button", { name: "Pause" })).toHaveCount(0);
});

test("the project is deleted from its Data page after its name is typed", async ({ page }) => {
  await page.goto(at("data"));
  const dialog = page.getByRole("dialog", { name: "Delete Journey?" });
  await press(page.getByRole("button", { name: "Delete the project…" }), dialog);
  await expect(impact(page, "Conversations")).toHaveText("4");
  await dialog.getByRole("textbox").fill("Journey");
  await dialog.getByRole("button", { name: "Delete the project" }).click();
  await expect(page).toHaveURL(`${project.url}/`);
  const left = () =>
    inDatabase(async (sql) => (await sql`select 1 from spans where project_id = ${project.projectId}`).length);
  await expect.poll(left, { timeout: JOB_MS }).toBe(0);
});
