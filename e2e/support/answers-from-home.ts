import { expect, type Locator, type Page } from "@playwright/test";
import { press } from "./press";

/** A click, with what shows that it worked: before the page's script runs, a button does nothing. */
type Click = readonly [on: Locator, shows: Locator];
const MOST_CLICKS = 3;

/** Checks that questions about the sample project are answered on its Home, or at most three clicks from there. */
export async function answersFromHome(page: Page, home: string) {
  const answer = async (clicks: readonly Click[], shown: Locator) => {
    expect(clicks.length).toBeLessThanOrEqual(MOST_CLICKS);
    await page.goto(home);
    for (const [on, shows] of clicks) await press(on, shows);
    await expect(shown).toBeVisible();
  };
  const link = (name: string | RegExp) => page.getByRole("link", { name }).first();
  const entry = (name: string) => link(new RegExp(`^${name}`));
  const title = (name: string | RegExp) => page.getByRole("heading", { level: 1, name });
  const section = (name: string) => page.getByRole("region", { name });
  const filters = page.getByRole("complementary", { name: "Filters" });
  const facet = (name: string) => filters.getByRole("button", { name: new RegExp(`^${name} ?\\d+$`) });
  const chip = (name: string) => page.getByRole("button", { name: `Remove the filter ${name}` });

  // What got worse? Does telemetry arrive? What will this month cost? A projection comes with 14 full days, which the sample has only
  // in the first half of a day.
  await page.goto(home);
  for (const shown of [
    section("Needs you").getByRole("listitem").filter({ hasText: "Regressed" }).first(),
    link(/^Last data .* spans\/min/),
    section("full days")
      .getByRole("definition")
      .filter({ hasText: /\$[\d.]+ so far/ }),
  ]) {
    await expect(shown).toBeVisible();
  }

  // Which model causes this Finding?
  const inCommon = section("What these have in common");
  await answer([[link("An answer is empty"), inCommon]], inCommon.getByText("14 of 14").first());
  await expect(inCommon.getByText("gpt-4.1-nano").first()).toBeVisible();

  // Did the newest version help?
  const compared = page.getByRole("heading", { name: "shop-support 2.5.0 against shop-support 2.4.1" });
  await answer(
    [[link("Compare it with the one before"), compared]],
    page.getByRole("columnheader", { name: "Verdict" }),
  );

  // Who costs most?
  const byUser = page.getByText("User", { exact: true });
  const users = page.getByRole("columnheader", { name: "User of the application" });
  await answer(
    [
      [entry("Costs"), title("Costs")],
      [byUser, users],
    ],
    page
      .getByRole("row")
      .getByRole("link", { name: /^cust_/ })
      .first(),
  );

  // Which span is the dearest?
  const spans = page.getByRole("tab", { name: "Spans" });
  const span = page.getByRole("treeitem").filter({ hasText: "$" }).first();
  await answer(
    [
      [section("Needs you").getByRole("link", { name: "15 conversations" }), chip("Finding:")],
      [page.getByRole("row").getByRole("link").first(), spans],
      [spans, span],
    ],
    span,
  );

  // What did users dislike where an order was looked up?
  await answer(
    [
      [entry("Conversations"), title("Conversations")],
      [facet("get_order"), chip("Tool: get_order")],
      [facet("Thumbs down"), chip("With a thumbs down")],
    ],
    page.getByText("4 in view"),
  );

  // Tell me when a day costs more than $20. What is typed is no click.
  const form = page.getByRole("dialog", { name: "New alert" });
  const limit = form.getByRole("textbox", { name: "Fires at" });
  await answer(
    [
      [entry("Costs"), title("Costs")],
      [link("Alert me"), limit],
    ],
    limit,
  );
  await limit.fill("20");
  await form.getByRole("button", { name: "Create alert" }).click();
  await expect(link("Cost per day")).toBeVisible();

  // Show a colleague without an account. An owner has turned share links on.
  const [, projectId] = /\/p\/(prj_\w+)/.exec(home) ?? [];
  const settings = await page.request.patch(`/v1/projects/${projectId}/share-link-settings`, {
    headers: { origin: new URL(page.url()).origin },
    data: { enabled: true },
  });
  expect(settings.status()).toBe(200);
  const share = page.getByRole("button", { name: "Share", exact: true });
  const create = page.getByRole("button", { name: "Create link" });
  const made = page.getByTestId("link");
  await answer(
    [
      [link("An answer is empty"), inCommon],
      [share, create],
      [create, made],
    ],
    made,
  );
}
