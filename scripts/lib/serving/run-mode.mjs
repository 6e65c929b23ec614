// @ts-check

import { explain } from "../system/operator-error.mjs";
import { serve } from "./serve.mjs";

/** @param {import("./serve.mjs").Mode} mode */
export async function runMode(mode) {
  try {
    process.exit(await serve(mode));
  } catch (error) {
    console.error(`\n${explain(error)}`);
    process.exit(1);
  }
}
