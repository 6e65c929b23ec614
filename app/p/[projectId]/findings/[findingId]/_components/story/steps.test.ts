import { expect, test } from "vitest";
import type { Fix } from "@/server/services/diagnostics/fixes/schemas";
import type { Evaluation } from "@/server/services/proof/evaluations/schemas";
import { type Story, stepsOf } from "./steps";

const NEW: Story = {
  finding: { occurrenceCount: 14, reviewStatus: "unreviewed" },
  variants: [],
  ticket: null,
  proof: null,
  fix: null,
};
const shown = (story: Partial<Story>) => stepsOf({ ...NEW, ...story }).map(({ name, state }) => `${name}: ${state}`);
const proof = (of: Partial<Evaluation>) =>
  ({ status: "succeeded", verdict: null, done: 3, total: 20, ...of }) as Evaluation;
const share = (affected: number, conversations: number) => ({
  affected,
  conversations,
  rate: { rate: affected / conversations, low: 0, high: 1 },
});
const fix = (of: Partial<Fix>) =>
  ({
    by: "version",
    value: "shop 2.5.0",
    startedAt: 1,
    verdict: "not_enough",
    measured: { before: share(56, 2800), since: share(0, 400), needed: 498 },
    ...of,
  }) as Fix;

test("a new Finding is to be reviewed before anything else", () => {
  expect(shown({})).toEqual(["Evidence: next", "Fix: open", "Proof: open", "Release: open", "Watch: open"]);
});

test("a confirmed Finding needs a fix, and one with a variant its proof", () => {
  const finding = { occurrenceCount: 14, reviewStatus: "confirmed" } as const;
  expect(shown({ finding })[1]).toBe("Fix: next");
  expect(shown({ finding, variants: [{ name: "Ask first", version: 2 }] })[2]).toBe("Proof: next");
  expect(shown({ finding, ticket: "SHOP-7", proof: proof({ status: "running" }) }).slice(1, 3)).toEqual([
    "Fix: done",
    "Proof: now",
  ]);
});

test("a fix that went out is watched until it is proven", () => {
  const says = (of: Partial<Fix>) => stepsOf({ ...NEW, proof: proof({ verdict: "proven" }), fix: fix(of) }).slice(3);
  expect(says({ startedAt: null, verdict: null, measured: null })).toMatchObject([
    { state: "now", says: "Waiting: Version shop 2.5.0" },
    { state: "open" },
  ]);
  expect(says({})).toMatchObject([
    { state: "done", says: "Version shop 2.5.0" },
    { state: "now", says: "Not enough yet. If it stays away, 98 more conversations show it." },
  ]);
  expect(says({ verdict: "proven" })[1]).toMatchObject({ state: "done", says: "Proven: 2% → 0%" });
});
