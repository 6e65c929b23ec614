import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect } from "./test";

/** The kit's dialog names itself in a `<header>`; in there it is no banner, whatever else is one. */
const NOT_IN_DIALOGS = ["landmark-no-duplicate-banner"];

/** Checks that the page, or what `within` selects of it, has no violation of accessibility. `name` stands in the failure. */
export async function expectSound(page: Page, name = "", within?: string) {
  await expectSettled(page);
  const axe = new AxeBuilder({ page });
  if (within) axe.include(within);
  if (within === "[role=dialog]") axe.disableRules(NOT_IN_DIALOGS);
  const { violations } = await axe.analyze();
  expect(
    violations.map(({ id, nodes }) => `${name} ${id} at ${nodes.map((node) => node.target.join(" ")).join(", ")}`),
  ).toEqual([]);
}

/** Shows the page in a colour scheme, and returns once the page has taken it over. */
export async function showIn(page: Page, colorScheme: "light" | "dark") {
  await page.emulateMedia({ colorScheme });
  await expect(page.locator("html")).toHaveAttribute("data-mantine-color-scheme", colorScheme);
}

/**
 * Half-way to another page there is the last one, without a title; half-way through a change of colours nothing has its contrast.
 * Waits until the page is there, what fades has faded, and all is painted.
 */
async function expectSettled(page: Page) {
  await expect(page.getByRole("progressbar", { name: "Loading page" })).toBeHidden();
  await expect(page).toHaveTitle(/./);
  await page.evaluate(async () => {
    const ending = document
      .getAnimations()
      .filter(({ effect }) => Number.isFinite(Number(effect?.getComputedTiming().endTime)));
    await Promise.all(ending.map(({ finished }) => finished.catch(() => undefined)));
    await new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)));
  });
}
