import type { Page } from "@playwright/test";
import { DAY_MS } from "@/server/platform/durations";
import { startGithub } from "@/testbed/trackers/github-server";
import { newProject, type TestProject } from "../../testbed/data/project";
import { type Said, send } from "../../testbed/data/said";
import { press } from "../support/press";
import { authenticate } from "../support/sign-in";
import { expectSound } from "../support/sound";
import { expect, test } from "../support/test";

/** Rule Runs, jobs and deliveries take as long as a busy machine needs. */
const SETTLES = { timeout: 90_000, intervals: [500] };
const SHOWS = { timeout: 60_000 };

const EMAIL = "jane.doe@example.com";
/** A tool that fails for one reason, with an e-mail address in its result. */
const FAILED: Said[] = [
  { role: "user", text: "Book a fitting appointment for Friday, please." },
  { role: "assistant", calls: [{ id: "call_1", name: "book_fitting", args: { day: "Friday" } }] },
  { role: "tool", of: "call_1", text: `Error: the calendar of ${EMAIL} refused the connection` },
  { role: "assistant", text: "I could not book the appointment: our calendar does not respond." },
];

const content = (page: Page) => page.locator("#content");

type Read = { id: string; ruleId: string; resolutionStatus: string | null; repairHandoffRef: string | null };
const findingsOf = async (project: TestProject) =>
  (await project.read("diagnostics/findings?ruleId=tool-failure")).findings as unknown as Read[];

test("a Finding becomes a ticket, is resolved when the ticket is closed, and reopens the ticket when it regresses", async ({
  page,
  baseURL,
}) => {
  test.setTimeout(600_000);
  const github = await startGithub();
  const project = await newProject(baseURL!);
  const at = (path: string) => `${project.url}/p/${project.projectId}/${path}`;
  const dialog = page.getByRole("dialog");
  const finding = async () => (await findingsOf(project))[0];

  try {
    await authenticate(page, project);
    await send(project, [{ id: "first", said: FAILED, startedAt: Date.now() - DAY_MS }]);
    await expect.poll(async () => (await findingsOf(project)).length, SETTLES).toBe(1);
    const { id: findingId } = (await finding())!;
    const ticket = content(page).getByRole("region", { name: "Ticket", exact: true });

    await test.step("without a tracker, the dialog links to Integrations", async () => {
      await page.goto(at(`findings/${findingId}`));
      await press(ticket.getByRole("button", { name: "Hand off…" }), dialog);
      await dialog.getByRole("link", { name: "Integrations" }).click();
      await expect(page.getByRole("heading", { name: "Integrations", level: 1 })).toBeVisible(SHOWS);
    });

    await test.step("a tracker is connected, and its title template is checked while it is typed", async () => {
      await press(page.getByRole("button", { name: "Add connection" }).first(), dialog);
      await dialog.getByLabel("Kind").selectOption("github");
      await dialog.getByLabel("Name").fill("Issues of the shop");
      await dialog.getByLabel("Base URL").fill(github.baseUrl);
      await dialog.getByRole("textbox", { name: "Token" }).fill(github.secret);
      await dialog.getByLabel("Default destination").fill(github.destination);
      await dialog.getByRole("button", { name: "Add connection" }).click();
      await expect(dialog).toBeHidden();
      const row = page.getByRole("row", { name: /Issues of the shop/ });
      await row.getByRole("button", { name: "Test Issues of the shop" }).click();
      await expect(row).toContainText("Works", SHOWS);

      await row.getByRole("button", { name: "More for Issues of the shop" }).click();
      await page.getByRole("menuitem", { name: "Edit…" }).click();
      const title = dialog.getByLabel("Title template");
      await title.fill("{{ finding.title ");
      await expect(dialog.getByText(/The template is not valid/)).toBeVisible(SHOWS);
      await title.fill("[bot] {{ finding.title }}");
      await expect(dialog.getByRole("list", { name: "Tickets as they would be sent" })).toContainText("[bot] ", SHOWS);
      await expect(dialog.getByLabel("When a Finding regresses")).toHaveValue("reopen");
      await expectSound(page, "tracker", "[role=dialog]");
      await dialog.getByRole("button", { name: "Save connection" }).click();
      await expect(dialog).toBeHidden();
    });

    const hook = { url: "", secret: "" };
    await test.step("its webhook is created, and the secret is shown once", async () => {
      const row = page.getByRole("row", { name: /Issues of the shop/ });
      await expect(row).toContainText("Not set");
      await row.getByRole("button", { name: "More for Issues of the shop" }).click();
      await page.getByRole("menuitem", { name: "Webhook…" }).click();
      await dialog.getByRole("button", { name: "Create webhook" }).click();
      const secret = dialog.getByTestId("webhook-secret");
      await expect(secret).toHaveText(/^[0-9a-f]{64}$/, SHOWS);
      hook.secret = (await secret.textContent()) ?? "";
      hook.url = (await dialog.getByTestId("webhook-url").textContent()) ?? "";
      expect(hook.url).toContain("/v1/tracker-webhooks/");
      await expectSound(page, "webhook", "[role=dialog]");
      await dialog.getByRole("button", { name: "I have copied both" }).click();
      await expect(dialog).toBeHidden();
      await expect(row).toContainText("No delivery yet", SHOWS);
      expect(await page.content()).not.toContain(hook.secret);
      github.webhookSecret = hook.secret;
    });

    await test.step("the Finding is handed off, with its evidence masked", async () => {
      await page.goto(at(`findings/${findingId}`));
      await press(ticket.getByRole("button", { name: "Hand off…" }), dialog);
      await expect(dialog.getByLabel("Repository")).toHaveValue(github.destination, SHOWS);
      await expect(dialog.getByRole("list", { name: "Tickets as they would be sent" })).toContainText("masked");
      await dialog.getByLabel("Repository").fill(github.unusableDestination);
      await dialog.getByRole("button", { name: "Create ticket" }).click();
      await expect(dialog.getByLabel("Repository")).toHaveAttribute("aria-invalid", "true", SHOWS);
      await expectSound(page, "hand off", "[role=dialog]");
      await dialog.getByLabel("Repository").fill(github.destination);
      await dialog.getByRole("button", { name: "Create ticket" }).click();
      await expect(dialog).toBeHidden(SHOWS);
      const link = ticket.getByRole("link", { name: /acme\/shop#1/ });
      await expect(link).toBeVisible(SHOWS);
      await expect(link).toHaveAttribute("rel", /noopener/);
      await expect(ticket).toContainText("Open");
      const [made, ...more] = github.tickets();
      expect(more).toEqual([]);
      expect(made!.title).toMatch(/^\[bot\] /);
      expect(made!.body).toContain("refused the connection");
      expect(made!.body).not.toContain(EMAIL);
      expect((await finding())!.repairHandoffRef).toBe("github:acme/shop#1");
      await expect(content(page).getByTitle("Handed off: acme/shop#1")).toBeVisible(SHOWS);
      await expect(content(page).getByRole("list", { name: "What changed on these days" })).toContainText(
        "Handed off: acme/shop#1",
        SHOWS,
      );
      await page.goto(at("findings?tab=all"));
      await expect(page.getByRole("table", { name: "Findings" })).toContainText("acme/shop#1", SHOWS);
    });

    /** The delivery of the ticket's last change, sent as GitHub sends it. */
    const deliver = async () => {
      const { headers, body } = github.delivery("1");
      const reply = await fetch(hook.url, { method: "POST", headers, body });
      expect(reply.ok, `${reply.status} ${await reply.text()}`).toBe(true);
    };

    await test.step("closing the ticket resolves the Finding on its open page", async () => {
      await page.goto(at(`findings/${findingId}`));
      await expect(ticket).toContainText("Open", SHOWS);
      github.setDone("1", true);
      await deliver();
      await expect(ticket).toContainText("Closed", SHOWS);
      await expect(page.getByRole("button", { name: "Unresolve" })).toBeVisible(SHOWS);
      await expect.poll(async () => (await finding())!.resolutionStatus, SETTLES).toBe("resolved");
      await ticket.getByText("Sync log").click();
      await expect(ticket.getByRole("list", { name: "Sync log" })).toContainText("Closed in the tracker");
      await page.goto(at("integrations/tracker-deliveries"));
      const deliveries = page.getByRole("table", { name: "Tracker deliveries" });
      await expect(deliveries).toContainText("Processed", SHOWS);
      await deliveries.locator("[data-row]").first().focus();
      await press(deliveries.getByRole("checkbox").last(), page.getByRole("toolbar"));
      await page.getByRole("button", { name: "Process again" }).click();
      await expect(page.getByRole("alert").filter({ hasText: "Processed" })).toBeVisible(SHOWS);
      await expectSound(page, "tracker deliveries", "main");
    });

    await test.step("the same failure in a later conversation reopens the ticket", async () => {
      // The conversation must start after the resolution by the database's clock.
      await send(project, [{ id: "second", said: FAILED, startedAt: Date.now() + 5_000 }]);
      await expect.poll(async () => (await finding())!.resolutionStatus, SETTLES).toBe("unresolved");
      await expect.poll(() => github.tickets()[0]!.state, SETTLES).toBe("open");
      expect(github.tickets()).toHaveLength(1);
      expect(github.tickets()[0]!.comments.join()).toContain("Seen again after it was resolved");
      await page.goto(at(`findings/${findingId}`));
      await expect(ticket).toContainText("Open", SHOWS);
      await ticket.getByText("Sync log").click();
      await expect(ticket.getByRole("list", { name: "Sync log" })).toContainText("Reopened it: seen again", SHOWS);
      await expectSound(page, "finding", "main");
    });

    await test.step("the link is abandoned, and the ticket stays", async () => {
      const abandon = page.getByRole("menuitem", { name: "Abandon…" });
      await press(ticket.getByRole("button", { name: "More for acme/shop#1" }), abandon);
      await abandon.click();
      await expect(dialog).toContainText("The ticket stays in GitHub.");
      await dialog.getByRole("button", { name: "Abandon ticket" }).click();
      await expect(ticket.getByRole("button", { name: "Hand off…" })).toBeVisible(SHOWS);
      await expect(ticket).toContainText("Abandoned");
      expect(github.tickets()[0]!.state).toBe("open");
    });
  } finally {
    await github.stop();
  }
});

test("several selected Findings are handed off, and a handoff rule is added and paused", async ({ page, baseURL }) => {
  test.setTimeout(600_000);
  const github = await startGithub();
  const project = await newProject(baseURL!);
  const at = (path: string) => `${project.url}/p/${project.projectId}/${path}`;
  const dialog = page.getByRole("dialog");

  try {
    await authenticate(page, project);
    const created = await fetch(`${project.url}/v1/projects/${project.projectId}/connections`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${await project.newKey("connections:manage")}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({
        kind: "github",
        name: "Issues of the shop",
        baseUrl: github.baseUrl,
        secret: github.secret,
        settings: { defaultDestination: github.destination },
      }),
    });
    expect(created.status).toBe(201);
    await send(
      project,
      ["book_fitting", "reserve_slot"].map((name) => ({
        id: name,
        said: FAILED.map((one) => (one.calls ? { ...one, calls: [{ ...one.calls[0]!, name }] } : one)),
        startedAt: Date.now() - DAY_MS,
      })),
    );
    await expect.poll(async () => (await findingsOf(project)).length, SETTLES).toBe(2);

    await page.goto(at("findings?tab=all&rule=tool-failure"));
    const table = page.getByRole("table", { name: "Findings" });
    await expect(table.locator("[data-row]")).toHaveCount(2, SHOWS);
    for (const row of await table.locator("[data-row]").all()) {
      await row.focus();
      await page.keyboard.press("x");
    }
    await expect(page.getByText("2 Findings selected")).toBeVisible();
    await page.getByRole("button", { name: /^Hand off…/ }).click();
    await expect(dialog.getByRole("list", { name: "Tickets as they would be sent" }).getByRole("listitem")).toHaveCount(
      2,
      SHOWS,
    );
    await expectSound(page, "hand off several", "[role=dialog]");
    await dialog.getByRole("button", { name: "Create 2 tickets" }).click();
    await expect(page.getByRole("alert").filter({ hasText: "Queued 2 tickets in GitHub" })).toBeVisible(SHOWS);
    await expect.poll(() => github.tickets().length, SETTLES).toBe(2);
    await expect
      .poll(async () => (await findingsOf(project)).map(({ repairHandoffRef }) => repairHandoffRef).sort(), SETTLES)
      .toEqual(["github:acme/shop#1", "github:acme/shop#2"]);

    await page.goto(at("integrations/handoff-rules"));
    await press(page.getByRole("button", { name: "Add handoff rule" }).first(), dialog);
    await dialog.getByRole("button", { name: "Add handoff rule" }).click();
    await expect(dialog.getByText("Enter a name.")).toBeVisible();
    await dialog.getByLabel("Name").fill("What is severe");
    await dialog.getByLabel("Maximum tickets per day").fill("3");
    await expectSound(page, "handoff rule", "[role=dialog]");
    await dialog.getByRole("button", { name: "Add handoff rule" }).click();
    await expect(dialog).toBeHidden();
    const rule = page.getByRole("row", { name: /What is severe/ });
    await expect(rule).toContainText("0 of 3");
    await rule.getByRole("switch").click({ force: true });
    await expect(page.getByText("Paused “What is severe”.")).toBeVisible();
    await expectSound(page, "handoff rules", "main");
  } finally {
    await github.stop();
  }
});
