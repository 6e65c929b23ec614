import { expect, type Locator } from "@playwright/test";

/** As a person does on a page that has just come: until its script runs a button does nothing, and they press again. */
export const press = (button: Locator, shows: Locator) =>
  expect(async () => {
    await button.click({ timeout: 1000 }).catch(() => {});
    await expect(shows).toBeVisible({ timeout: 2000 });
  }).toPass({ timeout: 20_000 });
