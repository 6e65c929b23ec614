import { newProject } from "../../testbed/data/project";
import { send } from "../../testbed/data/said";
import { failedBooking } from "../../testbed/product/failures";
import { signIn } from "../support/sign-in";
import { expect, test } from "../support/test";

/** More than either list loads at once. */
const MANY = 110;
const LABEL = "autumn";
/** Names with little in common, so that each failure becomes a separate Finding. */
const toolOf = (n: number) => [n % 7, n % 11, n % 13].map((part) => "abcdefghijklm"[part]!.repeat(3)).join("_");
const WAITS = { timeout: 120_000 };

test("an action on all matching rows includes those that are not loaded, and undo reverts all of it", async ({
  page,
  baseURL,
}) => {
  test.setTimeout(300_000);
  const project = await newProject(baseURL!);
  const many = async (what: "conversations" | "examples" | "findings", path: string) =>
    ((await project.read(path)) as unknown as Record<string, unknown[]>)[what]!.length;
  const inReview = (status: string) =>
    many("findings", `diagnostics/findings?limit=500&q=calendar+service&reviewStatus=${status}`);
  const labelled = () => many("conversations", `conversations?limit=500&label=${LABEL}`);

  const now = Date.now();
  const talks = Array.from({ length: MANY }, (_, n) => ({
    id: `talk-${n}`,
    said: failedBooking(toolOf(n)),
    startedAt: now - (n + 1) * 60_000,
  }));
  await send(project, talks);
  await expect.poll(() => inReview("unreviewed"), WAITS).toBe(MANY);
  await signIn(page, project);

  const bar = page.getByRole("toolbar", { name: "Actions on the selection" });
  const toast = (words: string) => page.getByRole("alert").filter({ hasText: words });
  const selectAllMatching = async (path: string, list: string) => {
    await page.goto(`/p/${project.projectId}/${path}`);
    const row = page.getByRole("table", { name: list, exact: true }).locator("[data-row]").first();
    await expect(row).toBeVisible();
    await expect(async () => {
      await row.focus();
      await page.keyboard.press("x");
      await expect(bar).toBeVisible({ timeout: 2000 });
    }).toPass();
    await bar.getByRole("button", { name: /^Select all .*matching$/ }).click();
    await expect(bar).toContainText(/^(All|Every) .*matching/);
  };

  await test.step("conversations are labelled", async () => {
    await selectAllMatching("conversations?q=fitting", "Conversations");
    await bar.getByRole("button", { name: "Label" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Add").fill(LABEL);
    await page.keyboard.press("Enter");
    await dialog.getByRole("button", { name: "Change labels" }).click();
    const done = toast(`Changed the labels of ${MANY} of ${MANY} conversations`);
    await expect(done).toBeVisible(WAITS);
    expect(await labelled()).toBe(MANY);
    await done.getByRole("button", { name: "Undo" }).click();
    await expect.poll(labelled, WAITS).toBe(0);
  });

  await test.step("Examples are moved to another split", async () => {
    const post = async (path: string, data: object) => {
      const headers = { origin: project.url };
      const reply = await page.request.post(`/v1/projects/${project.projectId}/${path}`, { headers, data });
      expect(reply.ok()).toBe(true);
      return reply.json();
    };
    const { dataset } = await post("datasets", { name: "Many" });
    const payload = (n: number) => ({
      input: { type: "chat", messages: [{ role: "user", content: `Question ${n}?` }] },
      expectedOutput: { type: "chat_message", message: { role: "assistant", content: `Answer ${n}.` } },
    });
    const items = Array.from({ length: MANY }, (_, n) => ({
      action: "create",
      payload: payload(n),
      split: n % 2 === 0 ? "train" : "validation",
    }));
    await post(`datasets/${dataset.id}/examples/batch`, { items });
    const inSplit = (split: string) => many("examples", `datasets/${dataset.id}/examples?limit=500&split=${split}`);
    await selectAllMatching(`datasets/${dataset.id}`, "Examples");
    await bar.getByRole("button", { name: "Split" }).click();
    await page.getByRole("menuitem", { name: "To validation" }).click();
    const done = toast(`Moved ${MANY / 2} Examples to validation`);
    await expect(done).toBeVisible(WAITS);
    expect(await inSplit("validation")).toBe(MANY);
    await done.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => inSplit("train"), WAITS).toBe(MANY / 2);
  });

  await test.step("Findings are confirmed", async () => {
    await selectAllMatching("findings?q=calendar+service", "Findings");
    await bar.getByRole("button", { name: "Confirm" }).click();
    const done = toast(`Confirmed ${MANY} Findings`);
    await expect(done).toBeVisible(WAITS);
    expect(await inReview("confirmed")).toBe(MANY);
    await done.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => inReview("unreviewed"), WAITS).toBe(MANY);
  });
});
