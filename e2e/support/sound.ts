import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect } from "./test";

/** The UI kit's dialog has its title in a `<header>`, which is not a banner there, but axe counts it as one. */
const NOT_IN_DIALOGS = ["landmark-no-duplicate-banner"];

/**
 * Checks that the page, or the part selected by `within`, has no accessibility violations: of every rule, or of `rules`. `name`
 * is shown in a failure.
 */
export async function expectSound(page: Page, name = "", within?: string, rules?: readonly string[]) {
  await expectSettled(page);
  // Without details of what passes, which take longer to collect than the rules to run.
  const axe = new AxeBuilder({ page, ...(await injectedInto(page)) }).options({ resultTypes: ["violations"] });
  // Within the page instead of also in a blank page for each check: the product has no frames.
  axe.setLegacyMode();
  if (within) axe.include(within);
  if (rules) axe.withRules([...rules]);
  if (within === "[role=dialog]") axe.disableRules(NOT_IN_DIALOGS);
  const { violations } = await axe.analyze();
  expect(
    violations.map(({ id, nodes }) => `${name} ${id} at ${nodes.map((node) => node.target.join(" ")).join(", ")}`),
  ).toEqual([]);
}

/** Returns the option that leaves out the script, half a megabyte, where the page has it from an earlier check. */
const injectedInto = async (page: Page) => ((await page.evaluate(() => "axe" in window)) ? { axeSource: "0" } : {});

/** Shows the page in a colour scheme, and returns once the page has applied it. */
export async function showIn(page: Page, colorScheme: "light" | "dark") {
  await page.emulateMedia({ colorScheme });
  await expect(page.locator("html")).toHaveAttribute("data-mantine-color-scheme", colorScheme);
}

/**
 * During a navigation, the previous page is shown without a title, and during a change of colours, contrasts are wrong. Waits
 * until the page is shown, animations have ended, and everything is painted.
 */
export async function expectSettled(page: Page) {
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
