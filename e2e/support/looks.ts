import { expect, type Page } from "@playwright/test";
import { isLong } from "../../scripts/lib/testing/amounts.mjs";
import { expectSettled, expectSound, type Part, showIn } from "./sound";

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

/**
 * Which rules are checked in the nth look at one page. Colours depend on the colour scheme, and everything else on the width, so
 * that each is checked where one is new; in the long run every rule is checked in every look.
 */
function partsIn(looks: readonly Look[], nth: number): readonly Part[] {
  const look = looks[nth];
  const isNew = (name: "scheme" | "width") =>
    isLong || !looks.slice(0, nth).some((other) => other[name] === look?.[name]);
  return [...(isNew("scheme") ? ["colours" as const] : []), ...(isNew("width") ? ["structure" as const] : [])];
}

/** Options of a context whose pages are shown so, without animations. */
export const contextIn = ({ scheme, width, height }: Look) =>
  ({ viewport: { width, height }, colorScheme: scheme, reducedMotion: "reduce" }) as const;

/** Shows the page, which has loaded, in a look. */
export async function showAs(page: Page, { scheme, width, height }: Look) {
  await page.setViewportSize({ width, height });
  await showIn(page, scheme);
}

/** Checks what is shown in each of the looks, the first of which is how it is shown already, and returns to that. */
export async function inLooks(
  page: Page,
  looks: readonly Look[],
  check: (look: Look, parts: readonly Part[]) => Promise<void>,
) {
  for (const [nth, look] of looks.entries()) {
    if (nth > 0) await showAs(page, look);
    await check(look, partsIn(looks, nth));
  }
  if (looks.length > 1) await showAs(page, looks[0]!);
}

/** Checks that what is shown, in the first of the looks, is accessible and does not scroll sideways in any of them. */
export const expectFitIn = (page: Page, looks: readonly Look[], name: string, within?: string) =>
  inLooks(page, looks, ({ scheme, width }, parts) => expectFit(page, `${name} ${scheme} ${width}`, within, parts));

/** Checks that the page, as it is shown, or the part selected by `within`, is accessible and does not scroll sideways. */
export async function expectFit(page: Page, name: string, within?: string, parts?: readonly Part[]) {
  // A tooltip that happens to be open is not part of the screen.
  await page.mouse.move(0, 0);
  if (parts?.length === 0) await expectSettled(page);
  else await expectSound(page, name, within, parts);
  const sideways = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(sideways, `${name} scrolls sideways`).toBeLessThanOrEqual(1);
}
