import { type Browser, type BrowserContext, expect, type Page, test as playwrightTest } from "@playwright/test";

export { expect };

/**
 * Whether every control is React's: it keeps an element's props on the element from hydration on. A page without scripts has nothing to wait
 * for, and the copy in which a text area that grows measures its text is nobody's control.
 */
const isLive = () =>
  !("__next_f" in window) ||
  [...document.querySelectorAll("button, input, select, textarea:not(body > [aria-hidden])")].every((control) =>
    Object.keys(control).some((key) => key.startsWith("__reactProps$")),
  );

/** Controls that never hydrate are the business of the test, not of the wait. */
const LIVE_WITHIN_MS = 15_000;
const whenLive = (page: Page) =>
  page.waitForFunction(isLive, undefined, { timeout: LIVE_WITHIN_MS }).catch(() => undefined);

/** Makes a page return from `goto`, `reload` and `waitForURL` once its controls work; `waitUntil: "commit"` returns before. */
function patient(page: Page): Page {
  const { goto, reload, waitForURL } = page;
  page.goto = async (url, options) => {
    const response = await goto.call(page, url, options);
    if (options?.waitUntil !== "commit") await whenLive(page);
    return response;
  };
  page.reload = async (options) => {
    const response = await reload.call(page, options);
    if (options?.waitUntil !== "commit") await whenLive(page);
    return response;
  };
  // Signing in loads a page anew, too.
  page.waitForURL = async (url, options) => {
    await waitForURL.call(page, url, options);
    if (options?.waitUntil !== "commit") await whenLive(page);
  };
  return page;
}

function withPatientPages(context: BrowserContext): BrowserContext {
  const { newPage } = context;
  context.newPage = async () => patient(await newPage.call(context));
  return context;
}

/**
 * Playwright's test, whose pages wait for their script after `goto`, `reload` and `waitForURL`: before it runs, a choice or a press
 * is lost, which on a busy machine happens to whoever is as quick as a test.
 */
export const test = playwrightTest.extend<object, { patientBrowser: Browser }>({
  patientBrowser: [
    async ({ browser }, use) => {
      const { newContext } = browser;
      browser.newContext = async (options) => {
        const context = await newContext.call(browser, options);
        return options?.javaScriptEnabled === false ? context : withPatientPages(context);
      };
      await use(browser);
      browser.newContext = newContext;
    },
    { scope: "worker", auto: true },
  ],
});
