// @ts-check
import { readFileSync } from "node:fs";
import path from "node:path";
import { print, tail } from "../system/print.mjs";
import { tallyOf, tallyOfWhatIsMissing } from "./tallies.mjs";

/**
 * A known vulnerability that is accepted for a while. `advisory`: its GitHub advisory id. `until`: the last day (UTC).
 * @typedef {{package: string, advisory: string, reason: string, until: string}} Accepted
 */

const PART = "known vulnerabilities";
const LIST = new URL("accepted-vulnerabilities.json", import.meta.url);
const LIST_NAME = "scripts/lib/testing/accepted-vulnerabilities.json";

/** Of what is shipped. Its exit code depends on settings of npm, so only the report counts. */
const COMMAND = [
  "npm",
  "audit",
  "--json",
  "--omit=dev",
  "--loglevel=silent",
  "--fetch-retry-mintimeout=1000",
  "--fetch-timeout=60000",
];

/** Audits what is shipped. A registry that does not answer is no failure, but is said. @param {import("./parts.mjs").Run} run @returns {Promise<import("./tallies.mjs").Tally>} */
export async function audit({ programs, folder }) {
  const log = path.join(folder, "audit.json");
  await programs.succeeds(COMMAND, { log });
  const accepted = JSON.parse(readFileSync(LIST, "utf8"));
  const verdict = judged(readFileSync(log, "utf8"), accepted, new Date().toISOString().slice(0, 10));
  if (verdict.problems.length > 0) {
    print(`✗ ${PART}${verdict.isReport ? "" : `: ${COMMAND.join(" ")}\n${tail(log, 50)}`}`);
    return { ...tallyOf(PART, false), failed: verdict.problems.length, failures: verdict.problems };
  }
  if (verdict.missing) {
    print(`- ${PART}: ${verdict.missing} is missing`);
    return tallyOfWhatIsMissing(PART, verdict.missing);
  }
  print([`✓ ${PART}`, ...verdict.notes].join("\n"));
  return tallyOf(PART, true);
}

/**
 * Judges the output of `npm audit --json`. `missing`: what prevented the audit, if no registry answered. `notes`: what a person
 * should know although it passes.
 * @param {string} output @param {readonly Accepted[]} accepted @param {string} today
 * @returns {{isReport: boolean, problems: string[], notes: string[], missing?: string}}
 */
export function judged(output, accepted, today) {
  const ended = accepted.flatMap((one) => problemOf(one, today));
  const report = parsed(output);
  if (report?.auditReportVersion !== 2) {
    // Without a code of npm's own, the error is the registry's or the network's.
    if (typeof report?.message === "string" && !report.error?.code)
      return {
        isReport: false,
        problems: ended,
        notes: [],
        missing: `a registry that answers npm audit (${report.message})`,
      };
    return { isReport: false, problems: ["npm audit did not run", ...ended], notes: [] };
  }
  const found = advisoriesOf(report);
  const isSame = (/** @type {{package: string, advisory: string}} */ one, /** @type {Accepted} */ other) =>
    one.package === other.package && one.advisory === other.advisory;
  return {
    isReport: true,
    problems: [
      ...found
        .filter((one) => !accepted.some((other) => isSame(one, other)))
        .map(
          (one) =>
            `${one.package} ${one.range}: ${one.title} (${one.severity}, ${one.advisory}). Update it, or accept it in ${LIST_NAME}`,
        ),
      ...ended,
    ],
    notes: accepted
      .filter((other) => !found.some((one) => isSame(one, other)))
      .map((one) => `  ${one.package} no longer has ${one.advisory}: remove it from ${LIST_NAME}.`),
  };
}

/** @param {Accepted} accepted @param {string} today */
function problemOf({ package: name, advisory, reason, until }, today) {
  if (!name || !advisory || !reason || !/^\d{4}-\d\d-\d\d$/.test(until ?? ""))
    return [`An entry of ${LIST_NAME} needs package, advisory, reason and until (YYYY-MM-DD): ${name} ${advisory}`];
  return until < today
    ? [`${name}: ${advisory} was accepted until ${until}. Update ${name}, or review the reason: ${reason}`]
    : [];
}

/** Returns each package's own advisories, once; a package that only depends on such a package has none. @param {any} report */
function advisoriesOf(report) {
  const all = Object.values(report.vulnerabilities).flatMap(({ via }) =>
    via
      .filter((/** @type {unknown} */ one) => typeof one === "object")
      .map((/** @type {any} */ { name, title, url, severity, range }) => ({
        package: String(name),
        advisory: String(url).split("/").at(-1) ?? "",
        title,
        severity,
        range,
      })),
  );
  return [...new Map(all.map((one) => [`${one.package} ${one.advisory}`, one])).values()];
}

/** @param {string} output @returns {any} */
function parsed(output) {
  try {
    return JSON.parse(output);
  } catch {
    return undefined;
  }
}
