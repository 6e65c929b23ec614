import { expect, type Page } from "@playwright/test";

/** The rows of the list of Findings. */
export const findingRows = (page: Page) => page.getByRole("table", { name: "Findings" }).locator("[data-row]");

/** Selects the first two Findings of the list by keys, and merges them. */
export async function mergeFirstTwo(page: Page) {
  await findingRows(page).first().focus();
  // Pressed twice, x selects nothing, so the first press gets enough time.
  await expect(async () => {
    await page.keyboard.press("x");
    await expect(page.getByText("1 Finding selected")).toBeVisible({ timeout: 5000 });
  }).toPass();
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await expect(page.getByText("2 Findings selected")).toBeVisible();
  await page.keyboard.press("m");
}
