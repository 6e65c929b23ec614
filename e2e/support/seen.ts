import type { Locator, Page } from "@playwright/test";

/**
 * A text where a person reads it. While a page streams in, React keeps what comes in a hidden place before it shows it:
 * for a moment the same text is there twice.
 */
export const seen = (within: Page | Locator, words: string | RegExp, options: { exact?: boolean } = {}) =>
  within.getByText(words, options).filter({ visible: true });
