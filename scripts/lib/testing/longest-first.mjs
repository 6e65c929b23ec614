// @ts-check
import path from "node:path";
import { BaseSequencer } from "vitest/node";
import { inRoot } from "../system/paths.mjs";
import { durations } from "./durations.mjs";

/**
 * Starts the longest test files first, so that no worker is still busy with one when the others have nothing left to do, and
 * before them those of unknown length. The files of a project stay together, because they share workers.
 */
export class LongestFirst extends BaseSequencer {
  /** @override @type {BaseSequencer["sort"]} */
  async sort(files) {
    const seconds = durations();
    const order = (/** @type {(typeof files)[number]} */ { project, moduleId }) => [
      project.config.isolate ? 0 : 1,
      project.name,
      -(seconds[path.relative(inRoot(), moduleId)] ?? Number.MAX_VALUE),
    ];
    return files
      .map((file) => ({ file, order: order(file) }))
      .sort((a, b) => compare(a.order, b.order))
      .map(({ file }) => file);
  }
}

/** @param {(string | number)[]} a @param {(string | number)[]} b */
function compare(a, b) {
  const at = a.findIndex((value, index) => value !== b[index]);
  if (at < 0) return 0;
  return /** @type {string} */ (a[at]) < /** @type {string} */ (b[at]) ? -1 : 1;
}
