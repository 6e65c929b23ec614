// @ts-check

import { explain } from "../system/trouble.mjs";
import { serve } from "./serve.mjs";

/** @param {import("./serve.mjs").Form} form */
export async function runForm(form) {
  try {
    process.exit(await serve(form));
  } catch (error) {
    console.error(`\n${explain(error)}`);
    process.exit(1);
  }
}
