import type { Page } from "@playwright/test";
import { DAY_MS, MINUTE_MS } from "@/server/platform/durations";
import { newProject, type TestProject } from "../../testbed/data/project";
import { type Spoken, send } from "../../testbed/data/said";
import { backordered, FAILURES, failedBooking, HEALTHY } from "../../testbed/product/failures";
import { killTree } from "../../testbed/product/process-tree";
import { startProduct } from "../../testbed/product/product";
import { startReceiver } from "../../testbed/servers/receiver";
import { findingRows, mergeFirstTwo } from "../support/data/merge-first-two";
import { press } from "../support/press";
import { authenticate } from "../support/sign-in";
import { expect, test } from "../support/test";

/** A row of a reply: its fields are asserted where they are used. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads replies as a client without types does
type Row = Record<string, any>;

/** Enough that the backfill has not completed when it is killed. */
const BACKLOG = 400;
const ENV = { DIAGNOSE_AFTER_QUIET_SECONDS: "1", OUTBOUND_ALLOW: "127.0.0.1" };
/** An open page polls within 20 seconds; Runs and notices take as long as a busy machine needs. */
const SETTLES = { timeout: 90_000, intervals: [500] };
const SHOWS = { timeout: 60_000 };
/** Tools that fail for the same reason, as a person would recognize. */
const BOOKINGS = ["book_fitting", "reserve_slot"];

const content = (page: Page) => page.locator("#content");
const dialogOf = (page: Page) => page.getByRole("dialog");

/** Returns a function that reads Findings with an API key, to know which page to open. */
function reader(project: TestProject) {
  const findings = async (filter = "") =>
    (await project.read(`diagnostics/findings?limit=500${filter}`)).findings as unknown as Row[];
  return {
    findings,
    /** A Finding that this Signal is evidence of, whichever names it. */
    findingOf: async (rule: string, signal: string, words = "") =>
      (await findings(`&ruleId=${rule}&signal=${signal}`)).find(
        ({ title, mergedIntoId }) => title.includes(words) && mergedIntoId === null,
      ),
  };
}

async function addWebhook(page: Page, at: (path: string) => string, url: string) {
  const dialog = dialogOf(page);
  await page.goto(at("integrations"));
  await press(page.getByRole("button", { name: "Add connection" }).first(), dialog);
  await dialog.getByLabel("Kind").selectOption("webhook");
  await dialog.getByLabel("Name").fill("On call");
  await dialog.getByLabel("Base URL").fill(url);
  await dialog.getByLabel("Secret").fill("a signing key of the journey");
  await dialog.getByRole("button", { name: "Add connection" }).click();
  await expect(dialog).toBeHidden();
  await page.goto(at("integrations/notifications"));
  await press(page.getByRole("button", { name: "Add notification" }).first(), dialog);
  await dialog.getByLabel("Name").fill("Regressions");
  await dialog.getByLabel("New", { exact: true }).uncheck();
  await dialog.getByLabel("Escalating", { exact: true }).uncheck();
  await dialog.getByRole("button", { name: "Add notification" }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("row", { name: /Regressions/ })).toContainText("On call");
}

test("in the browser, failures are found, reviewed, merged and announced once they regress, and a changed Rule is backfilled despite kill -9", async ({
  page,
}) => {
  test.setTimeout(600_000);
  const hook = await startReceiver();
  let product = await startProduct({ env: ENV });
  const { dataDir } = product;
  const port = Number(new URL(product.url).port);
  const project = await newProject(product.url, dataDir);
  const { findings, findingOf } = reader(project);
  const at = (path: string) => `${project.url}/p/${project.projectId}/${path}`;
  const now = Date.now();
  const sendOf = (conversations: readonly Spoken[]) => send(project, conversations);

  try {
    await authenticate(page, project);
    await addWebhook(page, at, hook.url);
    await sendOf([
      ...FAILURES.flatMap(({ rule: _, signal, quote: __, title: ___, ...failure }) =>
        [1, 2].map((n) => ({ ...failure, id: `${signal}-${n}`, startedAt: now - n * DAY_MS })),
      ),
      ...BOOKINGS.map((tool) => ({ id: tool, said: failedBooking(tool), startedAt: now - DAY_MS })),
      ...HEALTHY.map((said, n) => ({ id: `healthy-${n}`, said, startedAt: now - DAY_MS })),
    ]);

    await test.step("each failure is in the right Finding with the right quote, and a healthy conversation is in none", async () => {
      for (const { rule, signal, quote, title } of FAILURES) {
        await expect.poll(async () => (await findingOf(rule, signal, title))?.occurrenceCount, SETTLES).toBe(2);
        const found = (await findingOf(rule, signal, title))!;
        await page.goto(at(`findings/${found.id}`));
        const why = page.locator("section", { has: page.getByRole("heading", { name: "Why" }) }).last();
        await expect(why.getByLabel("Quote").filter({ hasText: quote }).first(), signal).toBeVisible(SHOWS);
        await expect(page.getByRole("heading", { level: 1 })).toContainText(found.title.replaceAll("`", ""));
      }
      const healthy = await project.read("diagnostics/findings?conversationId=healthy-1");
      expect(healthy.findings).toEqual([]);
    });

    const [regressing] = FAILURES as [(typeof FAILURES)[number]];
    const resolved = (await findingOf(regressing.rule, regressing.signal, regressing.title))!;
    const stateOf = async () => (await findings()).find(({ id }) => id === resolved.id)!;

    await test.step("a quote links to its message", async () => {
      await page.goto(at(`findings/${resolved.id}`));
      await page
        .getByRole("link", { name: /^message \d+$/ })
        .first()
        .click();
      await expect(page).toHaveURL(/conversations\/.+#m-\d+$/);
      await expect(content(page).getByText(regressing.quote).first()).toBeInViewport(SHOWS);
    });

    await test.step("one Finding is confirmed and resolved, one dismissed, and two about the same problem merged", async () => {
      await page.goto(at(`findings/${resolved.id}`));
      const confirm = page.getByRole("button", { name: "Confirm", exact: true });
      await press(confirm, page.getByRole("alert").filter({ hasText: "Confirmed" }));
      await expect(confirm).toBeHidden();
      await page.getByRole("button", { name: "Resolve", exact: true }).click();
      await expect(page.getByRole("button", { name: "Unresolve" })).toBeVisible(SHOWS);

      const loop = (await findingOf("agent-loop", "repeated_tool_call"))!;
      await page.goto(at(`findings/${loop.id}`));
      await press(
        page.getByRole("button", { name: "Dismiss", exact: true }),
        page.getByRole("alert").filter({ hasText: "Dismissed" }),
      );
      await page.goto(at("findings?tab=dismissed"));
      await expect(page.getByRole("row").filter({ hasText: "create_label" })).toBeVisible(SHOWS);

      await page.goto(at("findings?q=calendar+service"));
      const rows = findingRows(page);
      await expect(rows).toHaveCount(BOOKINGS.length, SHOWS);
      await mergeFirstTwo(page);
      await expect(rows).toHaveCount(1, SHOWS);
      const merged = async () =>
        (await findings()).filter(({ title }) => BOOKINGS.some((tool) => title.includes(tool)));
      await expect.poll(async () => (await merged()).map((one) => one.occurrenceCount)).toContain(2);
    });

    await test.step("a resolved Finding regresses only on a conversation that started later, and one alert is sent", async () => {
      const { said } = regressing;
      await sendOf([{ id: "started-before", said, startedAt: now - MINUTE_MS }]);
      await expect.poll(async () => (await stateOf()).occurrenceCount, SETTLES).toBe(3);
      await page.goto(at("findings?tab=resolved"));
      const row = page.getByRole("row").filter({ hasText: "search_emails" });
      await expect(row).toBeVisible(SHOWS);
      expect(hook.received).toEqual([]);
      // The conversation must start after the resolution by the database's clock.
      await sendOf([{ id: "started-after", said, startedAt: Date.now() + 5_000 }]);
      await expect.poll(async () => (await stateOf()).occurrenceCount, SETTLES).toBe(4);
      await page.goto(at("findings?tab=regressed"));
      await expect(row).toBeVisible(SHOWS);
      await expect(row).toContainText("Regressed");
      await expect.poll(() => hook.received.length, { timeout: 120_000, intervals: [500] }).toBe(1);
      expect(hook.received[0]).toMatchObject({ type: "finding.regressed", data: { finding: { id: resolved.id } } });
      await page.goto(at("integrations/deliveries"));
      await expect(page.getByRole("table", { name: "Deliveries" }).locator("[data-row]")).toHaveCount(1, SHOWS);
    });

    await test.step("a changed Rule previews what it would have found", async () => {
      await page.goto(at("settings"));
      const automatic = page.getByRole("switch", { name: "Diagnose conversations automatically" });
      await expect(automatic).toBeChecked(SHOWS);
      await expect(async () => {
        await automatic.uncheck({ force: true, timeout: 1000 });
        await expect(automatic).not.toBeChecked({ timeout: 2000 });
      }).toPass();
      // The switch shows the requested value before it is stored.
      await expect
        .poll(
          async () =>
            ((await project.read("diagnostics/settings")).settings as unknown as Row).automaticSchedulingEnabled,
        )
        .toBe(false);
      const before = ((await project.read("diagnostics/status")).status as unknown as Row).conversations;
      await sendOf(
        Array.from({ length: BACKLOG }, (_, n) => ({
          id: `backlog-${n}`,
          said: backordered(n),
          startedAt: now - 3 * DAY_MS + n * 1000,
        })),
      );
      await expect
        .poll(async () => ((await project.read("diagnostics/status")).status as unknown as Row).conversations, SETTLES)
        .toBe(before + BACKLOG);

      await page.goto(at("rules/task-failure"));
      await expect(page.getByRole("table", { name: "Signals", exact: true })).toBeVisible(SHOWS);
      await page.getByRole("combobox", { name: "Keywords" }).fill("backorder");
      await page.keyboard.press("Enter");
      const preview = page.getByRole("status", { name: "Preview of the changes" });
      await press(page.getByRole("button", { name: "Preview the last 7 days" }), preview);
      await expect(preview.getByRole("row", { name: /^keyword / })).toContainText(`${BACKLOG}`, SHOWS);
      await page.getByRole("button", { name: "Save changes" }).click();
      await expect
        .poll(async () => {
          const { rules } = (await project.read("diagnostics/rules")) as unknown as { rules: Row[] };
          return rules.find(({ id }) => id === "task-failure")!.configuration.keywords;
        })
        .toEqual(["backorder"]);
    });

    await test.step("a backfill that is killed midway finds the keyword in each conversation once", async () => {
      await page.goto(at("backfills?new=task-failure&range=7d"));
      const dialog = dialogOf(page);
      const preview = dialog.getByRole("status", { name: "Preview" });
      await expect(preview).toContainText("conversations were active in this window", SHOWS);
      await expect(preview).toContainText("no adjudicator is asked");
      await press(
        dialog.getByRole("button", { name: "Start backfill" }),
        page.getByRole("row", { name: /Task failure/ }).first(),
      );
      const counts = async () =>
        ((await project.read("diagnostics/backfills")).backfills as unknown as Row[])[0]?.counts as Row | undefined;
      await expect
        .poll(async () => (await counts())?.completed, { timeout: 60_000, intervals: [50] })
        .toBeGreaterThan(0);
      killTree(product.pid);
      await product.exited;
      product = await startProduct({ dataDir, port, env: ENV });
      await page.goto(at("backfills"));
      await expect(page.getByRole("row", { name: /Task failure/ })).toContainText("Completed", { timeout: 180_000 });
      expect(await counts()).toMatchObject({ queued: 0, running: 0, failed: 0 });
      const keyword = (await findingOf("task-failure", "keyword"))!;
      expect(keyword.occurrenceCount).toBe(BACKLOG);
      await page.goto(at(`findings/${keyword.id}`));
      await expect(page.getByLabel("Quote").filter({ hasText: "backorder" }).first()).toBeVisible(SHOWS);
      expect(hook.received, "backfills send no alerts").toHaveLength(1);
    });
  } finally {
    hook.stop();
    await product.stop();
  }
});
