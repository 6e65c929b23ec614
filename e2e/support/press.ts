import { expect, type Locator } from "@playwright/test";

/** Presses a button until it works: before the page's script runs, a button does nothing, and people press again. */
export const press = (button: Locator, shows: Locator) =>
  expect(async () => {
    await button.click({ timeout: 1000 }).catch(() => {});
    await expect(shows).toBeVisible({ timeout: 2000 });
  }).toPass({ timeout: 20_000 });
