import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect } from "./test";

/** The UI kit's dialog has its title in a `<header>`, which is not a banner there, but axe counts it as one. */
const NOT_IN_DIALOGS = ["landmark-no-duplicate-banner"];

/** The rules whose result depends on the colour scheme; they take most of the time. */
const OF_COLOURS = ["color-contrast", "link-in-text-block"];

/** Which rules: those about colours, or those about everything else. */
export type Part = "colours" | "structure";

/**
 * Checks that the page, or the part selected by `within`, has no accessibility violations: of any rule, or of those in `parts`.
 * `name` is shown in a failure.
 */
export async function expectSound(
  page: Page,
  name = "",
  within?: string,
  parts: readonly Part[] = ["colours", "structure"],
) {
  await expectSettled(page);
  // Without details of what passes, which take longer to collect than the rules to run.
  const axe = new AxeBuilder({ page, ...(await injectedInto(page)) }).options({ resultTypes: ["violations"] });
  // Entirely in the page, which has no frames, rather than also in a blank page opened for each check.
  axe.setLegacyMode();
  if (within) axe.include(within);
  if (!parts.includes("structure")) axe.withRules(OF_COLOURS);
  axe.disableRules([
    ...(parts.includes("colours") ? [] : OF_COLOURS),
    ...(within === "[role=dialog]" ? NOT_IN_DIALOGS : []),
  ]);
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
  // Looked at again and again: the promise `finished` of an animation that the page drops meanwhile may never settle.
  const isStill = () =>
    !document
      .getAnimations()
      .some(
        ({ playState, effect }) =>
          playState === "running" && Number.isFinite(Number(effect?.getComputedTiming().endTime)),
      );
  await page.waitForFunction(isStill, undefined, { polling: 20 });
  await page.evaluate(() => new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted))));
}
