// @ts-check
import { mkdirSync } from "node:fs";
import path from "node:path";
import { withTools } from "../system/paths.mjs";

/** Variables of the operator's own installation, removed for tests. */
const OURS_ALONE = [
  "DATABASE_URL",
  "MIGRATION_DATABASE_URL",
  "DATA_DIR",
  "HOST",
  "PORT",
  "PUBLIC_URL",
  "WHETSTONE_SECRET",
  "WHETSTONE_SECRET_FILE",
  "NODE_ENV",
  "NODE_OPTIONS",
];

/**
 * Returns the environment in which tests run. What a test leaves in the temporary folder is inside the run's `folder`, and is
 * removed with it.
 * @param {string} folder @param {{isLong?: boolean}} [options]
 */
export function environmentOfTests(folder, { isLong = false } = {}) {
  const temporary = path.join(folder, "tmp");
  mkdirSync(temporary);
  const ours = Object.entries(withTools()).filter(([name]) => !OURS_ALONE.includes(name));
  return { ...Object.fromEntries(ours), TMPDIR: temporary, ...(isLong && { TEST_LONG: "1" }) };
}
