import { type Browser, type BrowserContext, expect, type Page, test as playwrightTest } from "@playwright/test";

export { expect };

/**
 * Whether React has hydrated every control, after which it stores an element's props on the element. A page without scripts has
 * nothing to wait for, and the hidden copy with which an autosizing text area measures its text is not a control.
 */
const isLive = () =>
  !("__next_f" in window) ||
  [...document.querySelectorAll("button, input, select, textarea:not(body > [aria-hidden])")].every((control) =>
    Object.keys(control).some((key) => key.startsWith("__reactProps$")),
  );

/** The limit of the wait: controls that never hydrate are for the test to find. */
const LIVE_WITHIN_MS = 15_000;
const whenLive = (page: Page) =>
  page.waitForFunction(isLive, undefined, { timeout: LIVE_WITHIN_MS }).catch(() => undefined);

/** What a control changes is in the URL up to 50 ms later (nuqs limits how often it writes there); nobody reloads so soon. */
const untilInUrl = () => new Promise((resolve) => setTimeout(resolve, 100));

/** Makes `goto`, `reload` and `waitForURL` return once the page's controls work; `waitUntil: "commit"` returns earlier. */
function patient(page: Page): Page {
  const { goto, reload, waitForURL } = page;
  page.goto = async (url, options) => {
    const response = await goto.call(page, url, options);
    if (options?.waitUntil !== "commit") await whenLive(page);
    return response;
  };
  page.reload = async (options) => {
    await page.evaluate(untilInUrl);
    const response = await reload.call(page, options);
    if (options?.waitUntil !== "commit") await whenLive(page);
    return response;
  };
  // Signing in loads a new page, too.
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
 * Playwright's test, whose pages wait for their script after `goto`, `reload` and `waitForURL`: before it runs, choices and
 * presses are lost, which happens on a busy machine if they come as quickly as in a test.
 */
export const test = playwrightTest.extend<object, { browser: Browser }>({
  browser: [
    async ({ browser }, use) => {
      const { newContext } = browser;
      browser.newContext = async (options) => {
        const context = await newContext.call(browser, options);
        return options?.javaScriptEnabled === false ? context : withPatientPages(context);
      };
      await use(browser);
      browser.newContext = newContext;
    },
    { scope: "worker" },
  ],
});
