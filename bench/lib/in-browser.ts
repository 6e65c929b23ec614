import { type Browser, chromium } from "@playwright/test";
import { findChromium } from "../../scripts/lib/testing/chromium.mjs";
import { newProject, type TestProject } from "../../testbed/data/project";
import { headers } from "../../testbed/product/known-load";
import { startProduct } from "../../testbed/product/product";

const BATCH = 500;

/** Runs `use` with a browser and a new project in its own product, where no Rules read what is sent meanwhile. */
export async function inBrowser(use: (browser: Browser, project: TestProject) => Promise<void>) {
  const executablePath = await findChromium();
  if (!executablePath) throw new Error("This needs a Chromium: set CHROMIUM_PATH.");
  const product = await startProduct({ env: { DIAGNOSE_AFTER_QUIET_SECONDS: "3600" } });
  const browser = await chromium.launch({ executablePath, args: ["--disable-gpu"] });
  try {
    await use(browser, await newProject(product.url, product.dataDir));
  } finally {
    await browser.close();
    await product.stop();
  }
}

/** Sends `count` spans in batches, and waits until `readable` returns `expected`. */
export async function sendSpans(
  project: TestProject,
  {
    count,
    span,
    readable,
    expected,
  }: { count: number; span: (n: number) => object; readable: () => Promise<number>; expected: number },
) {
  for (let from = 0; from < count; from += BATCH) {
    const spans = Array.from({ length: Math.min(BATCH, count - from) }, (_, n) => span(from + n));
    const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
    const reply = await fetch(`${project.url}/v1/otlp/v1/traces`, { method: "POST", headers: headers(project), body });
    if (!reply.ok) throw new Error(`${reply.status} ${await reply.text()}`);
  }
  while ((await readable()) < expected) await new Promise((resolve) => setTimeout(resolve, 1000));
}
