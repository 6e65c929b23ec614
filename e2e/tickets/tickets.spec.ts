import type { Page } from "@playwright/test";
import { DAY_MS } from "@/server/platform/durations";
import { type SimulatedGithub, startGithub } from "@/testbed/trackers/github-server";
import { newProject, type TestProject } from "../../testbed/data/project";
import { send } from "../../testbed/data/said";
import { failedBooking } from "../../testbed/product/failures";
import { runningDatabase } from "../../testbed/product/running-database";
import { press } from "../support/press";
import { authenticate } from "../support/sign-in";
import { expectSound } from "../support/sound";
import { expect, test } from "../support/test";

/** Tickets and their connection apart from the life of a Finding: settings, replacement, failure, reading. */

const SETTLES = { timeout: 90_000, intervals: [500] };
const SHOWS = { timeout: 60_000 };

let github: SimulatedGithub;
let project: TestProject;
/** A key with the capabilities for preparing these tests. */
let key: string;
test.beforeEach(async ({ page, baseURL }) => {
  test.setTimeout(300_000);
  github = await startGithub();
  project = await newProject(baseURL!);
  key = await project.newKey("diagnostics:write", "diagnostics:read", "connections:manage");
  await authenticate(page, project);
});
test.afterEach(() => github.stop());

const at = (path: string) => `${project.url}/p/${project.projectId}/${path}`;
const ticketOn = (page: Page) => page.locator("#content").getByRole("region", { name: "Ticket", exact: true });

// biome-ignore lint/suspicious/noExplicitAny: a test reads replies as a client without types does
type Row = Record<string, any>;

async function asked(method: string, path: string, body?: object): Promise<Row> {
  const reply = await fetch(`${project.url}/v1/projects/${project.projectId}/${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
  return reply.json();
}

async function connected() {
  const { baseUrl, secret, destination } = github;
  const given = { kind: "github", name: "Issues of the shop", baseUrl, secret };
  return (await asked("POST", "connections", { ...given, settings: { defaultDestination: destination } })).connection;
}

async function finding(tool = "book_fitting"): Promise<string> {
  await send(project, [{ id: tool, said: failedBooking(tool), startedAt: Date.now() - DAY_MS }]);
  const found = async () =>
    ((await project.read("diagnostics/findings?ruleId=tool-failure")).findings as unknown as Row[])[0]?.id;
  await expect.poll(found, SETTLES).toBeDefined();
  return found();
}

test("the settings of a tracker connection are saved, and shown when it is edited again", async ({ page }) => {
  const dialog = page.getByRole("dialog");
  const edit = async () => {
    const item = page.getByRole("menuitem", { name: "Edit…" });
    await press(page.getByRole("button", { name: "More for Issues of the shop" }), item);
    await item.click();
    await expect(dialog.getByLabel("Name")).toHaveValue("Issues of the shop");
  };
  const tags = async (label: string, ...values: string[]) => {
    for (const value of values) {
      await dialog.getByRole("combobox", { name: label }).fill(value);
      await page.keyboard.press("Enter");
    }
  };
  await connected();
  await page.goto(at("integrations"));
  await edit();
  await tags("Labels", "whetstone", "bug");
  await dialog.getByLabel("When a Finding regresses").selectOption({ label: "Create a new ticket" });
  await dialog.getByLabel("When a Finding is resolved here").selectOption({ label: "Only comment" });
  await tags("States that mean open", "open");
  await tags("States that mean closed", "closed", "done");
  await dialog.getByLabel("Title template").fill("[bot] {{ finding.title }}");
  await dialog.getByLabel("Body template").fill("{{ finding.summary }}");
  await dialog.getByRole("button", { name: "Save connection" }).click();
  await expect(dialog).toBeHidden(SHOWS);

  const settings = {
    defaultDestination: github.destination,
    labels: ["whetstone", "bug"],
    onRegression: "new_ticket",
    onResolution: "comment",
    openStates: ["open"],
    closedStates: ["closed", "done"],
    titleTemplate: "[bot] {{ finding.title }}",
    bodyTemplate: "{{ finding.summary }}",
  };
  expect((await asked("GET", "connections")).connections).toMatchObject([{ secretSet: true, settings }]);

  await page.reload();
  await edit();
  await expect(dialog.getByLabel("Default destination")).toHaveValue(github.destination);
  await expect(dialog.getByLabel("When a Finding regresses")).toHaveValue("new_ticket");
  await expect(dialog.getByLabel("When a Finding is resolved here")).toHaveValue("comment");
  await expect(dialog.getByLabel("Title template")).toHaveValue(settings.titleTemplate);
  await expect(dialog.getByLabel("Body template")).toHaveValue(settings.bodyTemplate);
  for (const tag of ["whetstone", "bug", "open", "closed", "done"])
    await expect(dialog.getByText(tag, { exact: true }).first()).toBeVisible();
  // A secret is never shown again, and untouched settings do not change.
  await expect(dialog.getByRole("textbox", { name: "Token" })).toHaveValue("");
  expect(await page.content()).not.toContain(github.secret);
  await dialog.getByRole("button", { name: "Save connection" }).click();
  await expect(dialog).toBeHidden(SHOWS);
  expect((await asked("GET", "connections")).connections).toMatchObject([{ secretSet: true, settings }]);
});

test("a connection signs in to GitHub as an App, and reports an invalid key or a suspended App", async ({ page }) => {
  const dialog = page.getByRole("dialog");
  await page.goto(at("integrations"));
  await press(page.getByRole("button", { name: "Add connection" }).first(), dialog);
  await dialog.getByLabel("Kind").selectOption("github");
  await dialog.getByLabel("Name").fill("The App");
  await dialog.getByLabel("Base URL").fill(github.baseUrl);
  await dialog.getByText("GitHub App", { exact: true }).click();
  await dialog.getByLabel("App ID").fill(github.app.appId);
  await dialog.getByLabel("Private key").fill("no key at all");
  await dialog.getByLabel("Default destination").fill(github.destination);
  await dialog.getByRole("button", { name: "Add connection" }).click();
  await expect(dialog.getByLabel("Installation ID")).toHaveAttribute("aria-invalid", "true", SHOWS);
  await dialog.getByLabel("Installation ID").fill(github.app.installationId);
  await dialog.getByRole("button", { name: "Add connection" }).click();
  await expect(dialog.getByLabel("Private key")).toHaveAttribute("aria-invalid", "true", SHOWS);
  await expectSound(page, "GitHub App", "[role=dialog]");
  await dialog.getByLabel("Private key").fill(github.app.privateKey);
  await dialog.getByRole("button", { name: "Add connection" }).click();
  await expect(dialog).toBeHidden(SHOWS);
  const row = page.getByRole("row", { name: /The App/ });
  await row.getByRole("button", { name: "Test The App" }).click();
  await expect(row).toContainText("Works", SHOWS);

  const item = page.getByRole("menuitem", { name: "Edit…" });
  await press(row.getByRole("button", { name: "More for The App" }), item);
  await item.click();
  await expect(dialog.getByLabel("App ID")).toHaveValue(github.app.appId);
  await expect(dialog.getByLabel("Installation ID")).toHaveValue(github.app.installationId);
  await expect(dialog.getByLabel("Private key")).toHaveValue("");
  const keyLine = github.app.privateKey.split("\n")[1]!;
  expect(await page.content()).not.toContain(keyLine);
  await dialog.getByRole("button", { name: "Cancel" }).click();

  const findingId = await finding();
  await asked("POST", `diagnostics/findings/${findingId}/work-items`, { provider: "github" });
  await page.goto(at(`findings/${findingId}`));
  await expect(ticketOn(page).getByRole("link", { name: /acme\/shop#1/ })).toBeVisible(SHOWS);
  github.app.suspended = true;
  github.app.revokeTokens();
  await page.goto(at("integrations"));
  await row.getByRole("button", { name: "Test The App" }).click();
  await expect(row).toContainText("Failed", SHOWS);
  await expect(row).toContainText("If it is suspended, have its owner unsuspend it.");
});

test("a ticket is replaced by a new one in the same repository, and stays as history", async ({ page }) => {
  // The oldest connection, which is otherwise the default.
  await asked("POST", "connections", { kind: "gitlab", name: "Another tracker", secret: "a token" });
  await connected();
  const findingId = await finding();
  await asked("POST", `diagnostics/findings/${findingId}/work-items`, { provider: "github" });
  const dialog = page.getByRole("dialog");
  const ticket = ticketOn(page);
  await page.goto(at(`findings/${findingId}`));
  const replace = page.getByRole("menuitem", { name: "Replace…" });
  await press(ticket.getByRole("button", { name: "More for acme/shop#1" }), replace);
  await replace.click();
  await expect(dialog.getByRole("heading", { name: "Replace acme/shop#1" })).toBeVisible();
  await expect(dialog.getByLabel("Tracker").locator("option:checked")).toHaveText("Issues of the shop (GitHub)", SHOWS);
  await expect(dialog.getByLabel("Repository")).toHaveValue(github.destination, SHOWS);
  await expect(dialog.getByRole("list", { name: "Tickets as they would be sent" })).toContainText(
    "book_fitting",
    SHOWS,
  );
  await expect(dialog).toContainText("The old ticket stays as it is in its tracker.");
  await expectSound(page, "replace", "[role=dialog]");

  await dialog.getByLabel("Repository").fill(github.unusableDestination);
  await dialog.getByRole("button", { name: "Replace ticket" }).click();
  await expect(dialog.getByText(/acme\/missing does not exist on GitHub/)).toBeVisible(SHOWS);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(ticket.getByRole("link", { name: /acme\/shop#1/ })).toBeVisible();

  await press(ticket.getByRole("button", { name: "More for acme/shop#1" }), replace);
  await replace.click();
  await dialog.getByRole("button", { name: "Replace ticket" }).click();
  await expect(dialog).toBeHidden(SHOWS);
  await expect(ticket.getByRole("button", { name: "More for acme/shop#2" })).toBeVisible(SHOWS);
  await expect(ticket).toContainText("Replaced");
  await expect(ticket.getByRole("link", { name: /acme\/shop#1/ })).toBeVisible();
  expect(github.tickets()).toMatchObject([{ isDone: false }, { isDone: false }]);
});

test("a ticket that could not be created is retried until it exists", async ({ page }) => {
  await connected();
  const findingId = await finding();
  const ticket = ticketOn(page);
  github.fault = ({ method }) => (method === "POST" ? 403 : undefined);
  await asked("POST", "work-items/batch", { findingIds: [findingId], provider: "github" });
  await page.goto(at(`findings/${findingId}`));
  await expect(ticket).toContainText("Failed", SHOWS);
  const problem = /GitHub does not let the token do this in acme\/shop/;
  await expect(ticket.getByRole("status")).toContainText(problem, SHOWS);
  const again = ticket.getByRole("button", { name: "Try again" });
  await press(again, page.getByRole("alert").filter({ hasText: problem }));
  await expect(ticket).toContainText("Failed");
  await expectSound(page, "failed ticket", "main");

  github.fault = () => undefined;
  await press(again, ticket.getByRole("link", { name: /acme\/shop#1/ }));
  await expect(ticket).toContainText("Open");
  await expect(again).toBeHidden();
  expect(github.tickets()).toHaveLength(1);
});

test("a ticket that was deleted in its tracker can only be replaced", async ({ page }) => {
  await connected();
  const findingId = await finding();
  const { workItem } = await asked("POST", `diagnostics/findings/${findingId}/work-items`, { provider: "github" });
  const dialog = page.getByRole("dialog");
  const ticket = ticketOn(page);
  github.remove(workItem.externalId);
  await page.goto(at(`findings/${findingId}`));
  const read = page.getByRole("menuitem", { name: "Sync now" });
  await press(ticket.getByRole("button", { name: "More for acme/shop#1" }), read);
  await read.click();
  await expect(ticket).toContainText("Failed", SHOWS);
  await expect(ticket).toContainText("acme/shop#1 no longer exists on GitHub");
  await expect(ticket.getByRole("button", { name: "Try again" })).toBeHidden();
  await press(ticket.getByRole("button", { name: "Replace…" }), dialog);
  await dialog.getByRole("button", { name: "Replace ticket" }).click();
  await expect(ticket.getByRole("link", { name: /acme\/shop#2/ })).toBeVisible(SHOWS);
});

test("a viewer sees tickets, connections, handoff rules and deliveries, but no controls to change them", async ({
  page,
}) => {
  const { id: connectionId } = await connected();
  const findingId = await finding();
  await asked("POST", "handoff-rules", { name: "What is severe", connectionId });
  const sql = runningDatabase();
  await sql`update memberships set role = 'viewer' where project_id = ${project.projectId}`;
  await sql.end();

  const ticket = ticketOn(page);
  await page.goto(at(`findings/${findingId}`));
  await expect(ticket).toContainText("can hand it off", SHOWS);
  await expect(ticket.getByRole("button", { name: "Hand off…" })).toBeHidden();
  await asked("POST", `diagnostics/findings/${findingId}/work-items`, { provider: "github" });
  await page.reload();
  await expect(ticket.getByRole("link", { name: /acme\/shop#1/ })).toBeVisible(SHOWS);
  await expect(ticket.getByRole("button")).toHaveCount(0);
  await expectSound(page, "ticket of a viewer", "main");

  await page.goto(at("findings?tab=all&rule=tool-failure"));
  await expect(page.getByRole("table", { name: "Findings" })).toContainText("acme/shop#1", SHOWS);
  await page.goto(at("integrations"));
  await expect(page.getByRole("row", { name: /Issues of the shop/ })).toBeVisible(SHOWS);
  for (const name of ["Add connection", "Test Issues of the shop", "More for Issues of the shop"])
    await expect(page.getByRole("button", { name })).toBeHidden();
  await page.goto(at("integrations/handoff-rules"));
  const rule = page.getByRole("row", { name: /What is severe/ });
  await expect(rule).toBeVisible(SHOWS);
  await expect(page.getByRole("button", { name: "Add handoff rule" })).toBeHidden();
  await expect(rule.getByRole("button")).toHaveCount(0);
  await expectSound(page, "handoff rules of a viewer", "main");
  await page.goto(at("integrations/tracker-deliveries"));
  await expect(page.getByText("No delivery yet")).toBeVisible(SHOWS);
});
