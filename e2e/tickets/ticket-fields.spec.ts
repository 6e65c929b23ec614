import { startJira } from "@/testbed/trackers/jira-server";
import type { SimulatedTracker } from "@/testbed/trackers/simulated-tracker";
import { newProject, type TestProject } from "../../testbed/data/project";
import { press } from "../support/press";
import { authenticate } from "../support/sign-in";
import { expectSound } from "../support/sound";
import { expect, test } from "../support/test";

/** What a Jira project requires is asked for where tickets to it are set up. */

let jira: SimulatedTracker;
let project: TestProject;
test.beforeEach(async ({ page, baseURL }) => {
  jira = await startJira({ deployment: "Cloud" });
  project = await newProject(baseURL!);
  await authenticate(page, project);
});
test.afterEach(() => jira.stop());

test("a new Jira connection asks for what its project requires, and works with it", async ({ page }) => {
  await page.goto(`/p/${project.projectId}/integrations`);
  const dialog = page.getByRole("dialog");
  await press(page.getByRole("button", { name: "Add connection" }).first(), dialog);
  await dialog.getByLabel("Kind").selectOption("jira");
  await expect(dialog.getByText("asked for here once the connection is saved")).toBeVisible();
  await dialog.getByLabel("Name").fill("Our Jira");
  await dialog.getByLabel("Base URL").fill(jira.baseUrl);
  await dialog.getByLabel("E-mail and API token").fill(jira.secret);
  await dialog.getByLabel("Default destination").fill("FORM");
  await dialog.getByRole("button", { name: "Add connection" }).click();

  const fields = dialog.getByRole("region", { name: "Ticket fields" });
  await expect(fields).toContainText("Fields of Task tickets in FORM");
  const severity = fields.getByRole("combobox", { name: "Severity" });
  await severity.click();
  await page.getByRole("option", { name: "High" }).click();
  await expectSound(page, "", "[role=dialog]");
  await dialog.getByRole("button", { name: "Save connection" }).click();
  await expect(dialog).toBeHidden();
  await page.getByRole("button", { name: "Test Our Jira" }).click();
  await expect(page.getByText("“Our Jira” works")).toBeVisible();

  await press(page.getByRole("button", { name: "More for Our Jira" }), page.getByRole("menuitem", { name: "Edit…" }));
  await page.getByRole("menuitem", { name: "Edit…" }).click();
  await expect(severity).toHaveValue("High");
  await dialog.getByLabel("Default destination").fill("PROJ");
  await expect(fields).toContainText("They require no fields beyond those that Whetstone fills in.");
  await dialog.getByLabel("Default destination").fill("GONE");
  await expect(dialog.getByText("Jira has no project with this key")).toBeVisible();
  jira.fault = () => 503;
  await dialog.getByLabel("Default destination").fill("ASKS");
  await expect(dialog.getByRole("alert")).toContainText("Temporarily unavailable");
  jira.fault = () => undefined;
  await dialog.getByRole("button", { name: "Try again" }).click();
  await expect(fields.getByRole("combobox", { name: "Owner" })).toBeVisible();
});

test("a handoff rule asks for the fields of its destination, each by its type", async ({ page }) => {
  const key = await project.newKey("connections:manage");
  const { baseUrl, secret } = jira;
  const reply = await fetch(`${project.url}/v1/projects/${project.projectId}/connections`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ kind: "jira", name: "Our Jira", baseUrl, secret, settings: { defaultDestination: "PROJ" } }),
  });
  expect(reply.status).toBe(201);
  await page.goto(`/p/${project.projectId}/integrations/handoff-rules`);
  const dialog = page.getByRole("dialog");
  await press(page.getByRole("button", { name: "Add handoff rule" }).first(), dialog);
  await dialog.getByLabel("Name").fill("Severe ones");
  await dialog.getByLabel("Destination").fill("ASKS");
  const fields = dialog.getByRole("region", { name: "Ticket fields" });
  await expect(fields).toContainText("Fields of Task tickets in ASKS");
  await dialog.getByRole("button", { name: "Add handoff rule" }).click();
  await expect(fields.getByText("Enter a value.")).toHaveCount(6);

  const choose = async (field: string, ...options: string[]) => {
    await fields.getByRole("combobox", { name: field }).click();
    const list = page.getByRole("listbox", { name: field });
    for (const name of options) await list.getByRole("option", { name, exact: true }).click();
    await page.keyboard.press("Tab");
  };
  await choose("Severity", "Low");
  await fields.getByLabel("Root cause").fill("Not known yet");
  await fields.getByLabel("Cost").fill("12.5");
  await choose("Regions", "EU", "Asia");
  await fields.getByRole("combobox", { name: "Teams" }).fill("agents");
  await page.keyboard.press("Enter");
  await choose("Owner", "Grace Hopper");
  await fields.getByRole("combobox", { name: "Add another field" }).click();
  await page.getByRole("option", { name: "Components" }).click();
  await choose("Components", "Search");
  await expectSound(page, "", "[role=dialog]");
  await dialog.getByRole("button", { name: "Add handoff rule" }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("row", { name: /Severe ones/ })).toBeVisible();

  const stored = await project.read("connections", key);
  expect(stored.connections).toMatchObject([
    {
      ticketFields: {
        ASKS: {
          customfield_10042: "10201",
          customfield_10043: "Not known yet",
          customfield_10044: 12.5,
          customfield_10045: ["10200", "10202"],
          customfield_10046: ["agents"],
          customfield_10047: "5b109f2e9729b51b54dc274d",
          components: ["10300"],
        },
      },
    },
  ]);
});
