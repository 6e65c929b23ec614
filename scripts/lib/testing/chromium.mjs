// @ts-check
import { existsSync } from "node:fs";
import path from "node:path";
import { canInstallPackages, installPackage } from "../system/debian.mjs";
import { OperatorError } from "../system/operator-error.mjs";
import { inRoot } from "../system/paths.mjs";
import { step } from "../system/print.mjs";
import { runLogged } from "../system/processes.mjs";

/** The shell has no window, and needs three quarters of the processor time and a third of the processes. */
export const CHROMIUM_NAMES = [
  "chromium-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
];
const APPLICATIONS = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/** Returns an installed Chromium: CHROMIUM_PATH, the system's, or Playwright's download. */
export async function findChromium() {
  const given = process.env.CHROMIUM_PATH;
  if (given) {
    if (existsSync(given)) return given;
    throw new OperatorError(`CHROMIUM_PATH is ${given}, which does not exist.`);
  }
  const folders = (process.env.PATH ?? "").split(path.delimiter);
  const { chromium } = await import("@playwright/test");
  const places = [
    ...CHROMIUM_NAMES.flatMap((name) => folders.map((folder) => path.join(folder, name))),
    ...APPLICATIONS,
  ];
  return [...places, chromium.executablePath()].find((file) => file && existsSync(file));
}

/** Finds or installs a Chromium for the browser tests. @param {(name: string) => string} logFor @returns {Promise<string>} */
export async function chromiumForTests(logFor) {
  const found = await findChromium();
  if (found) return found;
  const downloader = inRoot("node_modules/@playwright/test/cli.js");
  await attempt(() =>
    step("Downloading a Chromium for the browser tests", () =>
      runLogged(process.execPath, [downloader, "install", "chromium"], {
        log: logFor("chromium-download"),
        env: { ...process.env, PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT: "15000" },
        failed: "Chromium could not be downloaded.",
      }),
    ),
  );
  if (!(await findChromium()) && canInstallPackages())
    await attempt(() => installPackage("chromium-headless-shell", logFor));
  const got = await findChromium();
  if (got) return got;
  throw new OperatorError(
    "The browser tests need a Chromium. Install one (package `chromium-headless-shell` or `chromium`, or Google Chrome), or set CHROMIUM_PATH.",
  );
}

/** @param {() => Promise<unknown>} work */
async function attempt(work) {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error; // the next method may work
  }
}
