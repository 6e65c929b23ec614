import { newProject } from "../../testbed/data/project";
import { send } from "../../testbed/data/said";
import { failedBooking } from "../../testbed/product/failures";
import { signIn } from "../support/sign-in";
import { expect, test } from "../support/test";

/** Names with little in common, so that each failure becomes a separate Finding. */
const TOOLS = [
  "book_room",
  "search_emails",
  "get_order",
  "print_label",
  "fetch_weather",
  "update_cart",
  "quote_shipping",
  "lookup_invoice",
  "schedule_visit",
  "translate_text",
];
type State = {
  id: string;
  title: string;
  reviewStatus: string;
  resolutionStatus: string | null;
  dismissalReason: string;
};

const CONFIRMED = { reviewStatus: "confirmed" };
const RESOLVED = { resolutionStatus: "resolved" };
const DISMISSED = { reviewStatus: "dismissed" };
/** The keys pressed, the last one being the action; the Finding's resulting state; and the toast. */
const STEPS: readonly { keys: readonly string[]; becomes: Partial<State>; says: string }[] = [
  { keys: ["c"], becomes: CONFIRMED, says: "Confirmed" },
  { keys: ["j", "e"], becomes: DISMISSED, says: "Dismissed" },
  { keys: ["j", "j", "r"], becomes: RESOLVED, says: "Resolved" },
  { keys: ["k", "w"], becomes: { ...DISMISSED, dismissalReason: "wrong" }, says: "Dismissed as wrong:" },
  { keys: ["k", "c"], becomes: CONFIRMED, says: "Confirmed" },
  // Without the open row from here on.
  { keys: ["Escape", "e"], becomes: DISMISSED, says: "Dismissed" },
  { keys: ["j", "r"], becomes: RESOLVED, says: "Resolved" },
  { keys: ["k", "x", "c"], becomes: CONFIRMED, says: "Confirmed" },
  { keys: ["j", "w"], becomes: { ...DISMISSED, dismissalReason: "wrong" }, says: "Dismissed as wrong:" },
  { keys: ["Space", "c"], becomes: CONFIRMED, says: "Confirmed" },
];

test("ten Findings are triaged by keyboard, and each key acts only on the focused Finding", async ({
  page,
  baseURL,
}) => {
  test.setTimeout(240_000);
  const project = await newProject(baseURL!);
  const now = Date.now();
  await send(
    project,
    TOOLS.map((tool, n) => ({ id: tool, said: failedBooking(tool), startedAt: now - (n + 1) * 60_000 })),
  );
  const findings = async () =>
    (await project.read("diagnostics/findings?limit=500&q=calendar+service")).findings as unknown as State[];
  await expect.poll(async () => (await findings()).length, { timeout: 120_000 }).toBe(TOOLS.length);
  await signIn(page, project);
  await page.goto(`/p/${project.projectId}/findings?q=calendar+service`);

  const table = page.getByRole("table", { name: "Findings" });
  const links = table.locator("[data-row]");
  await expect(links).toHaveCount(TOOLS.length);
  const idsShown = () =>
    links.evaluateAll((all) => all.map((one) => (one.getAttribute("href") ?? "").split("/").at(-1)!));
  const row = (id: string) => table.locator(`[data-row][href$="${id}"]`);
  const titles = new Map((await findings()).map(({ id, title }) => [id, title.replaceAll("`", "")]));
  const peek = page.getByRole("complementary", { name: "Finding", exact: true });

  const left = await idsShown();
  const expected = new Map((await findings()).map((one) => [one.id, one]));
  const stateOf = ({ id, reviewStatus, resolutionStatus, dismissalReason }: State) => ({
    id,
    reviewStatus,
    resolutionStatus,
    dismissalReason,
  });
  const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);

  let at = 0;
  await expect(async () => {
    await page.keyboard.press("k");
    await expect(row(left[0]!)).toBeFocused({ timeout: 1000 });
  }).toPass();
  await page.keyboard.press("Space");
  let open = true;

  for (const [n, { keys, becomes, says }] of STEPS.entries()) {
    await test.step(`${n + 1}: ${keys.join(" ")}`, async () => {
      for (const key of keys.slice(0, -1)) {
        await page.keyboard.press(key);
        if (key === "j") at = Math.min(at + 1, left.length - 1);
        if (key === "k") at = Math.max(at - 1, 0);
        if (key === "Escape") open = false;
        if (key === "Space") open = true;
      }
      const id = left[at]!;
      await expect(row(id)).toBeFocused();
      if (open) {
        await expect(page).toHaveURL(new RegExp(`peek=${id}`));
        await expect(peek.getByRole("heading", { level: 2 }).first()).toHaveText(titles.get(id)!);
      } else await expect(peek).toBeHidden();

      await page.keyboard.press(keys.at(-1)!);
      await expect(page.getByRole("alert").filter({ hasText: `${says} “${titles.get(id)}”` })).toBeVisible();
      expected.set(id, { ...expected.get(id)!, resolutionStatus: null, ...becomes } as State);
      left.splice(at, 1);
      at = Math.min(at, left.length - 1);
      await expect(links).toHaveCount(left.length);
      expect(await idsShown()).toEqual(left);
      const { finding } = (await project.read(`diagnostics/findings/${id}`)) as unknown as { finding: State };
      expect(finding).toMatchObject(becomes);
      // All other Findings are unchanged.
      const others = (all: Iterable<State>) =>
        [...all]
          .filter((one) => one.id !== id)
          .map(stateOf)
          .sort(byId);
      expect(others(await findings())).toEqual(others(expected.values()));
      expected.set(id, finding);
    });
  }
  await expect(page.getByText("No Finding matches")).toBeVisible();
});
