import { describe, expect, test } from "vitest";
import { bandsOf, type Collected, type Offered, selectProposals, signatureOf } from "..";
import { similarity } from "./min-hash";

const NOTHING: Collected = { keys: new Set(), signatures: [], byUser: new Map(), byFinding: new Map() };
const NO_CAPS = { perUser: null, perFinding: null };
const signature = (question: string, answer: string) =>
  signatureOf({
    input: { type: "chat", messages: [{ role: "user", content: question }] },
    expectedOutput: { type: "chat_message", message: { role: "assistant", content: answer } },
  });
const LONG =
  "The parcel left our warehouse on Monday and will be at your door by Thursday at noon, so please stay at home";
const offered = (key: string, fields: Partial<Offered> = {}): Offered => ({
  key,
  reasonCode: "accepted_by_user",
  userId: null,
  findingId: null,
  signature: signature(`${key}a ${key}b ${key}c ${key}d`, `${key}e ${key}f ${key}g`),
  ...fields,
});
const keysOf = (found: readonly Offered[]) => found.map(({ key }) => key).sort();

describe("near-duplicates", () => {
  test("have signatures that share a band", () => {
    const [one, other] = [signature("Where is it", `${LONG}.`), signature("Where is it", `${LONG}!`)];
    expect(one).toHaveLength(64);
    expect(one).toEqual(other);
    const near = signature("Where is it", `${LONG} today`);
    expect(bandsOf(one).some((band) => bandsOf(near).includes(band))).toBe(true);
    const far = signature("How do I cook rice", "Boil it in twice as much water for twelve minutes.");
    expect(bandsOf(one).some((band) => bandsOf(far).includes(band))).toBe(false);
  });

  test("are found when one word of eight is another", () => {
    const [one, other] = [signature("", LONG), signature("", LONG.replace("Monday", "Friday").replace("noon", "six"))];
    expect(similarity(one, other)).toBeGreaterThan(0.7);
  });

  test("are reduced to the most certain one, even when one was collected earlier", () => {
    const [sure, likely] = [signature("Where is it", LONG), signature("Where is it", `${LONG} today`)];
    const both = [offered("a", { signature: likely }), offered("b", { signature: sure, reasonCode: "thumbs_up" })];
    const first = selectProposals(both, NO_CAPS, NOTHING);
    expect(keysOf(first.selected)).toEqual(["b"]);
    expect(first.left).toEqual({ near_duplicate: 1 });
    const later = selectProposals([offered("c", { signature: likely })], NO_CAPS, { ...NOTHING, signatures: [sure] });
    expect(later.selected).toEqual([]);
  });
});

test("collects a source once", () => {
  const found = selectProposals([offered("a"), offered("a"), offered("b")], NO_CAPS, {
    ...NOTHING,
    keys: new Set(["b"]),
  });
  expect(keysOf(found.selected)).toEqual(["a"]);
  expect(found.left).toEqual({ already_collected: 2 });
});

test("caps Examples per user and Finding, counting those collected earlier", () => {
  const loud = ["a", "b", "c"].map((key) => offered(key, { userId: "usr_1" }));
  const failing = ["d", "e"].map((key) => offered(key, { findingId: "fnd_1" }));
  const { selected, left } = selectProposals(
    [...loud, ...failing],
    { perUser: 2, perFinding: 2 },
    { ...NOTHING, byFinding: new Map([["fnd_1", 1]]) },
  );
  expect(selected).toHaveLength(3);
  expect(left).toEqual({ user_cap: 1, finding_cap: 1 });
});

test("selects the same proposals in any order", () => {
  const all = Array.from({ length: 30 }, (_, nth) => offered(`k${nth}`, { userId: `usr_${nth % 3}` }));
  const caps = { perUser: 4, perFinding: null };
  const forward = keysOf(selectProposals(all, caps, NOTHING).selected);
  expect(keysOf(selectProposals(all.toReversed(), caps, NOTHING).selected)).toEqual(forward);
  expect(forward).toHaveLength(12);
});
