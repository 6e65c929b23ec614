import type { Locator, Page } from "@playwright/test";

/**
 * Locates visible text. While a page streams in, React puts new content into a hidden element before it shows it, so that for
 * a moment the same text exists twice.
 */
export const seen = (within: Page | Locator, words: string | RegExp, options: { exact?: boolean } = {}) =>
  within.getByText(words, options).filter({ visible: true });
