import { expect, test } from "vitest";
import { type Notice, signedMessage, slackMessage } from "./message";

const ABOUT = {
  projectId: "prj_1",
  projectName: "Shop & <Co>",
  link: (path: string) => `https://whetstone.example/${path}`,
};
const AT = Date.UTC(2026, 10, 22, 12);
const notice = (n: number, kind: Notice["kind"] = "new"): Notice => ({
  kind,
  finding: {
    id: `fnd_${n}`,
    title: `\`get_order\` fails: <order> ${n} & not found`,
    ruleId: "tool-failure",
    signal: "tool_error",
    severity: "high",
    diagnosticScore: 0.4,
    occurrenceCount: n,
    userCount: 1,
    firstDetectedAt: AT,
    lastDetectedAt: AT,
  },
});

test("a single notice is an event of its kind, with the Finding and its address", () => {
  expect(signedMessage(ABOUT, [notice(3, "regressed")], { sequence: 7, count: 1, at: AT })).toMatchObject({
    type: "finding.regressed",
    timestamp: "2026-11-22T12:00:00.000Z",
    data: {
      projectId: "prj_1",
      finding: { id: "fnd_3", occurrenceCount: 3, url: "https://whetstone.example/p/prj_1/findings/fnd_3" },
    },
  });
});

test("several notices are one digest, which lists the first twenty and counts all", () => {
  const many = Array.from({ length: 25 }, (_, n) => notice(n));
  const { type, data } = signedMessage(ABOUT, many, { sequence: 8, count: 31, at: AT }) as {
    type: string;
    data: { count: number; findings: object[] };
  };
  expect({ type, count: data.count, listed: data.findings.length }).toEqual({
    type: "findings.digest",
    count: 31,
    listed: 20,
  });
  const { text } = slackMessage(ABOUT, many, 31);
  expect(text.split("\n")).toHaveLength(22);
  expect(text).toMatch(/and 11 more>$/);
});

test("text for Slack is escaped, so that it contains no mention or link of its own", () => {
  expect(slackMessage(ABOUT, [notice(1)], 1).text).toBe(
    "*New:* <https://whetstone.example/p/prj_1/findings/fnd_1|`get_order` fails: &lt;order&gt; 1 &amp; not found> · high · 1 conversation · Shop &amp; &lt;Co&gt;",
  );
});
