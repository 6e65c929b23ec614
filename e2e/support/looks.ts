import { expect, type Page } from "@playwright/test";
import { isLong } from "../../scripts/lib/testing/amounts.mjs";
import { expectSettled, expectSound, showIn } from "./sound";

/** How a page is shown. */
export type Look = { scheme: "light" | "dark"; width: number; height: number };

export const PHONE = { width: 390, height: 844 };
export const LIGHT: Look = { scheme: "light", width: 1440, height: 900 };
export const DARK: Look = { scheme: "dark", width: 1440, height: 900 };
export const LIGHT_PHONE: Look = { scheme: "light", ...PHONE };
export const DARK_PHONE: Look = { scheme: "dark", ...PHONE };

/** Returns the looks of each visit: usually one visit for all, and in the long run one for each, with every check. */
export const visits = (...looks: Look[]): Look[][] => (isLong ? looks.map((look) => [look]) : [looks]);

/** What a test's title says of them. */
export const titleOf = (looks: readonly Look[]) =>
  looks.map(({ scheme, width }) => `${scheme} at ${width} px`).join(", ");

/** Every rule in the first look; then contrast, which is all that depends on the colour scheme; `[]` where nothing does. */
function rulesIn(looks: readonly Look[], nth: number): readonly string[] | undefined {
  if (nth === 0) return undefined;
  return looks.slice(0, nth).some(({ scheme }) => scheme === looks[nth]?.scheme) ? [] : ["color-contrast"];
}

/** Shows the page, which has loaded, in a look. */
export async function showAs(page: Page, { scheme, width, height }: Look) {
  await page.setViewportSize({ width, height });
  await showIn(page, scheme);
}

/** Checks that what is shown is accessible and does not scroll sideways in any of the looks; returns to the first one. */
export async function expectFitIn(page: Page, looks: readonly Look[], name: string, within?: string) {
  for (const [nth, look] of looks.entries()) {
    if (looks.length > 1) await showAs(page, look);
    await expectFit(page, `${name} ${look.scheme} ${look.width}`, within, rulesIn(looks, nth));
  }
  if (looks.length > 1) await showAs(page, looks[0]!);
}

/** Checks that the page, as it is shown, or the part selected by `within`, is accessible and does not scroll sideways. */
export async function expectFit(page: Page, name: string, within?: string, rules?: readonly string[]) {
  // A tooltip that happens to be open is not part of the screen.
  await page.mouse.move(0, 0);
  if (rules?.length === 0) await expectSettled(page);
  else await expectSound(page, name, within, rules);
  const sideways = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(sideways, `${name} scrolls sideways`).toBeLessThanOrEqual(1);
}
