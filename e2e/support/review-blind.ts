import type { Page } from "@playwright/test";
import { expect } from "./test";

/** Says of each row of a proof which answer is right, by one key each, without knowing which model gave it. */
export async function reviewBlind(page: Page, rows: number, isRight: (answer: string) => boolean) {
  const review = page.getByRole("region", { name: "Blind review" });
  for (let n = 0; n < rows; n += 1) {
    await expect(review).toContainText(`${n} of ${rows} rows reviewed`);
    const first = review.getByRole("group", { name: "First" });
    await expect(first).toBeVisible();
    await page.keyboard.press(isRight((await first.textContent()) ?? "") ? "1" : "2");
  }
  await expect(review).toContainText(`${rows} of ${rows} rows reviewed`);
  await page.keyboard.press("Escape");
}
