import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { DAY_MS } from "@/server/platform/durations";
import { newId } from "@/server/platform/ids";
import { updateRule } from "..";
import { RULE, resolved, type Traffic, VERSION } from "./testing";

const BEFORE = { affected: 56, conversations: 2800, days: [-28, 0] } as const satisfies Partial<Traffic>;
const before = { ...BEFORE, days: [-28, 0] as [number, number] };
const SINCE: [number, number] = [0, 20];

test("a fix is proven by the conversations that the Rule has read since, and by no others", async () => {
  const { stored, fix } = await resolved();
  const other = await resolved();
  await stored(before);
  await stored({ conversations: 450, days: SINCE });
  await other.stored({ ...before, affected: 2800 });
  await stored({ conversations: 5000, days: SINCE, read: null });
  expect(await fix()).toMatchObject({
    verdict: "not_enough",
    before: { affected: 56, conversations: 2800 },
    since: { affected: 0, conversations: 450 },
    needed: 498,
    notRead: { before: 0, since: 5000 },
    readings: [{ ruleId: RULE, ruleVersion: VERSION, configurationRevision: 1 }],
  });
  await stored({ conversations: 150, days: SINCE });
  expect(await fix()).toMatchObject({ verdict: "proven", since: { affected: 0, conversations: 600 } });
});

test("a fix of an own Rule's Finding is proven like any other", async () => {
  const own = { name: "Asks alpha", problem: "Calls alpha.", asks: 0, filter: { toolsCalled: ["alpha"] } };
  const { stored, fix } = await resolved({ own });
  await stored(before);
  await stored({ conversations: 600, days: SINCE });
  expect(await fix()).toMatchObject({
    verdict: "proven",
    before: { affected: 56, conversations: 2800 },
    since: { affected: 0, conversations: 600 },
    readings: [{ ruleId: expect.stringMatching(/^rule_/), ruleVersion: 1 }],
  });
});

test("turning the Rule off proves nothing", async () => {
  const { stored, fix } = await resolved();
  await stored(before);
  await stored({ conversations: 5000, days: SINCE, read: null });
  expect(await fix()).toMatchObject({ verdict: "not_enough", since: { conversations: 0 }, difference: null });
});

test("stricter settings prove nothing until they have read the days before too", async () => {
  const { ctx, stored, fix } = await resolved();
  await updateRule(ctx, { ruleId: RULE, configuration: { minDiagnosticConfidence: 0.9 } });
  await stored(before);
  await stored({ conversations: 3000, days: SINCE, read: { revision: 2 } });
  expect(await fix()).toMatchObject({ verdict: "not_enough", notRead: { before: 2800, since: 0 } });
  await stored({ ...before, read: { revision: 2, origin: "backfill" } });
  expect(await fix()).toMatchObject({ verdict: "proven", readings: [{ configurationRevision: 2 }] });
});

test("a new version of the Rule proves nothing until it has read the days before too", async () => {
  const { stored, fix } = await resolved();
  await stored({ ...before, read: { version: VERSION - 1 } });
  await stored({ conversations: 3000, days: SINCE });
  expect(await fix()).toMatchObject({ verdict: "not_enough", notRead: { before: 2800, since: 0 } });
});

test("another sample rate reads fewer conversations in the same way", async () => {
  const { ctx, stored, fix } = await resolved();
  await updateRule(ctx, { ruleId: RULE, configuration: { sampleRate: 0.1 } });
  await stored(before);
  await stored({ conversations: 600, days: SINCE, read: { revision: 2 } });
  expect(await fix()).toMatchObject({ verdict: "proven", since: { conversations: 600 } });
});

test("conversations that people chose to have read do not count outside the sample", async () => {
  const { ctx, stored, fix } = await resolved();
  await updateRule(ctx, { ruleId: RULE, configuration: { sampleRate: 0 } });
  await stored({ ...before, read: { revision: 2, origin: "on_demand" } });
  await stored({ conversations: 3000, days: SINCE, read: { revision: 2, origin: "on_demand" } });
  expect(await fix()).toMatchObject({ verdict: "not_enough", before: { conversations: 0 }, notRead: { since: 3000 } });
});

test("more traffic of a kind that never had it is no fix", async () => {
  const { stored, fix } = await resolved();
  await stored({ affected: 100, conversations: 1000, days: before.days, labels: ["chat"] });
  await stored({ affected: 10, conversations: 1000, days: before.days, labels: ["mail"] });
  await stored({ affected: 20, conversations: 200, days: SINCE, labels: ["chat"] });
  await stored({ affected: 18, conversations: 1800, days: SINCE, labels: ["mail"] });
  const { verdict, difference } = await fix();
  expect(verdict).not.toBe("proven");
  expect(difference!.rate).toBeCloseTo(0, 6);
});

test("a new model beside the old one is left out, and one that replaces it is compared", async () => {
  const beside = await resolved();
  await beside.stored({ ...before, models: ["old"] });
  await beside.stored({ affected: 12, conversations: 600, days: SINCE, models: ["old"] });
  await beside.stored({ conversations: 5000, days: SINCE, models: ["new"] });
  expect(await beside.fix()).toMatchObject({
    since: { affected: 12, conversations: 600 },
    withoutPast: 5000,
    comparedBy: "model_and_labels",
  });
  const instead = await resolved();
  await instead.stored({ ...before, models: ["old"] });
  await instead.stored({ conversations: 600, days: SINCE, models: ["new"] });
  expect(await instead.fix()).toMatchObject({ verdict: "proven", withoutPast: 0, comparedBy: "labels" });
});

test("a fix made at a peak is compared with the calm days before it", async () => {
  const { ctx, at, findingId, stored, fix } = await resolved();
  await stored({ affected: 20, conversations: 2600, days: [-28, -5] });
  await stored({ affected: 60, conversations: 400, days: [-4, 0] });
  await stored({ affected: 2, conversations: 300, days: SINCE });
  const peak = { from: at - 2 * DAY_MS, id: newId("fev") };
  expect(await fix()).toMatchObject({ calmPast: false });
  await ctx.db.execute(sql`
    insert into finding_events (project_id, id, finding_id, kind, at, actor_kind, detail)
    values (${ctx.projectId}, ${peak.id}, ${findingId}, 'escalating', ${peak.from}, 'system', '{}')`);
  expect(await fix()).toMatchObject({ calmPast: true, before: { affected: 20, conversations: 2600 } });
});

test("a rare Finding is compared with 56 days", async () => {
  const { stored, fix } = await resolved();
  await stored({ affected: 4, conversations: 1400, days: [-28, 0] });
  await stored({ affected: 4, conversations: 1400, days: [-56, -28] });
  await stored({ conversations: 10, days: SINCE });
  expect(await fix()).toMatchObject({ days: 56, before: { affected: 8, conversations: 2800 } });
});
