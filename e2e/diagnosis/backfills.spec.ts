import type { Page } from "@playwright/test";
import { newProject, type TestProject } from "../../testbed/data/project";
import { seed, type Talk } from "../../testbed/data/seed";
import { killTree } from "../../testbed/product/process-tree";
import { startProduct } from "../../testbed/product/product";
import { press } from "../support/press";
import { authenticate } from "../support/sign-in";
import { expect, test } from "../support/test";

/** The number of rows on one page of a list. */
const CONVERSATIONS = 400;
const TALKS: Talk[] = Array.from({ length: CONVERSATIONS }, (_, n) => ({
  id: `order-${n}`,
  model: "gpt-4o-mini",
  ask: "Where is my order 1042?",
  answer: "I cannot find it.",
  failingTool: true,
}));

type Where = Pick<TestProject, "url" | "projectId" | "secret">;

const backfillsOf = ({ url, projectId }: Where) => `${url}/p/${projectId}/backfills`;
const read = async <Reply>({ url, projectId, secret }: Where, path: string): Promise<Reply> =>
  (
    await fetch(`${url}/v1/projects/${projectId}/diagnostics/${path}`, {
      headers: { authorization: `Bearer ${secret}` },
    })
  ).json();
type Listed = { backfills: { counts: Record<string, number> }[] };
const newestCounts = async (where: Where) => (await read<Listed>(where, "backfills")).backfills[0]?.counts;

async function withoutAutomaticRuns(page: Page, project: Where) {
  const reply = await page.request.patch(`${project.url}/v1/projects/${project.projectId}/diagnostics/settings`, {
    headers: { origin: project.url },
    data: { automaticSchedulingEnabled: false },
  });
  expect(reply.status()).toBe(200);
}

async function startBackfill(page: Page, project: Where) {
  await page.goto(backfillsOf(project));
  const dialog = page.getByRole("dialog", { name: "New backfill" });
  await press(page.getByRole("button", { name: "New backfill" }).first(), dialog);
  await dialog.getByRole("button", { name: /^Active:/ }).click();
  await page.getByRole("button", { name: "Last 30 days" }).click();
  return dialog;
}

test("a backfill whose server is killed midway still checks every conversation in its window exactly once", async ({
  page,
}) => {
  test.setTimeout(300_000);
  let product = await startProduct();
  const { dataDir } = product;
  try {
    const project = await newProject(product.url, dataDir);
    await authenticate(page, project);
    await withoutAutomaticRuns(page, project);
    await seed(project, TALKS, { diagnosed: false });

    const dialog = await startBackfill(page, project);
    const preview = dialog.getByRole("status", { name: "Preview" });
    await expect(preview).toContainText(`${CONVERSATIONS} conversations were active in this window.`);
    await expect(preview).toContainText(`${CONVERSATIONS} would be checked; 0 have been checked`);
    await dialog.getByRole("button", { name: "Start backfill" }).click();
    await expect(dialog).toBeHidden();
    await expect
      .poll(async () => (await newestCounts(project))?.completed, { timeout: 60_000, intervals: [50] })
      .toBeGreaterThan(0);
    killTree(product.pid);
    await product.exited;

    product = await startProduct({ dataDir });
    const restarted = { ...project, url: product.url };
    await page.goto(backfillsOf(restarted));
    const row = page.getByRole("row", { name: /Tool failure/ });
    await expect(row).toContainText("Completed", { timeout: 120_000 });
    await expect(row).toContainText(`${CONVERSATIONS} completed`);
    const { findings } = await read<{ findings: { occurrenceCount: number }[] }>(
      restarted,
      "findings?ruleId=tool-failure",
    );
    expect(Math.max(...findings.map((one) => one.occurrenceCount))).toBe(CONVERSATIONS);

    await row.getByRole("link", { name: `${CONVERSATIONS} completed` }).click();
    await expect(page).toHaveURL(/rule-runs\?backfill=bf_\w+&status=completed/);
    await expect(page.getByRole("row", { name: /Backfill/ }).first()).toBeVisible();

    await test.step("the preview of a second backfill shows that nothing is left to check", async () => {
      const again = await startBackfill(page, restarted);
      await expect(again.getByRole("status", { name: "Preview" })).toContainText(
        `0 would be checked; ${CONVERSATIONS} have been checked`,
      );
      await expect(again.getByRole("button", { name: "Start backfill" })).toBeDisabled();
    });
  } finally {
    await product.stop();
  }
});

test("a backfill is paused, resumed and cancelled from its row and its panel", async ({ page, baseURL }) => {
  test.setTimeout(180_000);
  const project = await newProject(baseURL!);
  await authenticate(page, project);
  await withoutAutomaticRuns(page, project);
  await page.goto(backfillsOf(project));
  await expect(page.locator("#content").getByText("No backfills yet")).toBeVisible();
  await seed(project, TALKS.slice(0, 300), { diagnosed: false });

  const dialog = await startBackfill(page, project);
  await dialog.getByLabel("At most").fill("300");
  await expect(dialog.getByRole("status", { name: "Preview" })).toContainText("300 would be checked");
  await dialog.getByRole("button", { name: "Start backfill" }).click();
  await page.getByRole("link", { name: "Tool failure" }).click();
  const panel = page.getByRole("complementary", { name: "Backfill" });
  await panel.getByRole("button", { name: "Pause" }).click();
  await expect(panel).toContainText("Paused");
  await panel.getByRole("button", { name: "Resume" }).click();
  const completed = panel.getByText("Completed", { exact: true });
  await expect(panel.getByRole("button", { name: "Pause" }).or(completed).first()).toBeVisible();
  const asks = page.getByRole("dialog", { name: "Cancel the backfill?" });
  // It may complete before the press and can then no longer be cancelled.
  await press(panel.getByRole("button", { name: "Cancel…" }), asks.or(completed).first());
  if (await asks.isVisible()) {
    await expect(asks).toContainText("conversations have been checked");
    await page.getByRole("button", { name: "Cancel backfill" }).click();
    await expect(panel.getByText(/Cancelled|Completed/).first()).toBeVisible();
  }
});
