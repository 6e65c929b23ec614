import { expect, test } from "vitest";
import { judged } from "./audit.mjs";

const TODAY = "2026-11-27";

/** Recorded from npm 11. mkdirp is vulnerable only because it depends on minimist. */
const REPORT = JSON.stringify({
  auditReportVersion: 2,
  vulnerabilities: {
    minimist: {
      name: "minimist",
      severity: "critical",
      isDirect: true,
      via: [
        {
          source: 1097678,
          name: "minimist",
          dependency: "minimist",
          title: "Prototype Pollution in minimist",
          url: "https://github.com/advisories/GHSA-xvch-5gv4-984h",
          severity: "critical",
          cwe: ["CWE-1321"],
          cvss: { score: 9.8, vectorString: "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H" },
          range: "<0.2.4 || >=1.0.0 <1.2.6",
        },
      ],
      effects: ["mkdirp"],
      range: "<0.2.4 || >=1.0.0 <1.2.6",
      nodes: ["node_modules/minimist", "node_modules/mkdirp/node_modules/minimist"],
      fixAvailable: { name: "mkdirp", version: "0.5.6", isSemVerMajor: false },
    },
    mkdirp: {
      name: "mkdirp",
      severity: "critical",
      isDirect: true,
      via: ["minimist"],
      effects: [],
      range: "0.4.1 - 0.5.1",
      nodes: ["node_modules/mkdirp"],
      fixAvailable: { name: "mkdirp", version: "0.5.6", isSemVerMajor: false },
    },
  },
  metadata: {
    vulnerabilities: { info: 0, low: 0, moderate: 0, high: 0, critical: 2, total: 2 },
    dependencies: { prod: 4, dev: 0, optional: 0, peer: 0, peerOptional: 0, total: 3 },
  },
});
const CLEAN = JSON.stringify({ auditReportVersion: 2, vulnerabilities: {}, metadata: {} });
const ACCEPTED = {
  package: "minimist",
  advisory: "GHSA-xvch-5gv4-984h",
  reason: "It parses no input of users.",
  until: "2026-12-31",
};

test("a vulnerability that nobody accepted is a problem, once and of the package that has it", () => {
  expect(judged(REPORT, [], TODAY).problems).toEqual([
    expect.stringMatching(/^minimist .*: Prototype Pollution in minimist \(critical, GHSA-xvch-5gv4-984h\)/),
  ]);
  expect(judged(CLEAN, [], TODAY)).toEqual({ isReport: true, problems: [], notes: [] });
});

test("an accepted vulnerability is no problem until the day after its last", () => {
  expect(judged(REPORT, [ACCEPTED], TODAY)).toEqual({ isReport: true, problems: [], notes: [] });
  expect(judged(REPORT, [ACCEPTED], ACCEPTED.until).problems).toEqual([]);
  expect(judged(REPORT, [ACCEPTED], "2027-01-01").problems).toEqual([
    expect.stringContaining("was accepted until 2026-12-31"),
  ]);
});

test("an acceptance covers neither another advisory nor another package", () => {
  for (const other of [{ advisory: "GHSA-vh95-rmgr-6w4m" }, { package: "mkdirp" }])
    expect(judged(REPORT, [{ ...ACCEPTED, ...other }], TODAY).problems).toHaveLength(1);
});

test("an acceptance that is not needed any more is noted", () => {
  expect(judged(CLEAN, [ACCEPTED], TODAY)).toMatchObject({
    problems: [],
    notes: [expect.stringContaining("minimist no longer has GHSA-xvch-5gv4-984h")],
  });
});

test.each(["package", "advisory", "reason", "until"])("an acceptance without %s is a problem", (field) => {
  expect(judged(CLEAN, [{ ...ACCEPTED, [field]: "" }], TODAY).problems).toEqual([
    expect.stringContaining("needs package, advisory, reason and until"),
  ]);
});

test.each([
  ["405 Method Not Allowed - POST https://registry.example/-/npm/v1/security/advisories/bulk", { statusCode: 405 }],
  ["request to https://registry.example/ failed, reason: connect ECONNREFUSED 127.0.0.1:9", {}],
])("without a registry that answers, the audit is missing, but what has ended is known: %s", (message, more) => {
  const output = JSON.stringify({ message, ...more, error: { summary: "", detail: "" } });
  expect(judged(output, [ACCEPTED], TODAY)).toMatchObject({ problems: [], missing: expect.stringContaining(message) });
  expect(judged(output, [ACCEPTED], "2027-01-01").problems).toHaveLength(1);
});

test.each([
  ["nothing", ""],
  ["an error of npm", JSON.stringify({ error: { code: "ENOLOCK", summary: "This command requires a lockfile." } })],
  ["another version's report", JSON.stringify({ auditReportVersion: 3 })],
])("an audit that prints %s is a problem", (_, output) => {
  expect(judged(output, [], TODAY)).toMatchObject({ isReport: false, problems: ["npm audit did not run"] });
});
