import { expect, test } from "vitest";
import { judgeCheckpoint, judgeLoss, judgeParity, judgePreserved } from "./judge-gates";

const withLoss = (eval_loss: number | null) => ({ metrics: { eval_loss } });

test.each([
  ["as low", 1, 1, 0, "passed"],
  ["higher", 1.01, 1, 0, "failed"],
  ["higher by what is allowed", 1.05, 1, 0.05, "passed"],
  ["higher by more", 1.051, 1, 0.05, "failed"],
  ["unknown beside a known one", null, 1, 0, "failed"],
  ["known beside an unknown one", 1, null, 0, "not_applicable"],
] as const)("a validation loss that is %s gets the expected verdict", (_, measured, before, tolerance, status) => {
  expect(judgeLoss(withLoss(measured), withLoss(before), tolerance).status).toBe(status);
});

test("validation losses are compared only if both are means of the same", () => {
  const perToken = (eval_loss: number) => ({ metrics: { eval_loss, eval_trained_tokens: 40 } });
  const perPair = (eval_loss: number) => ({ metrics: { eval_loss, eval_pairs: 4 } });
  expect(judgeLoss(perToken(1), perToken(1), 0).status).toBe("passed");
  expect(judgeLoss(perToken(2), perToken(1), 0).status).toBe("failed");
  for (const other of [withLoss(1), perPair(1)]) {
    expect(judgeLoss(perToken(2), other, 0)).toMatchObject({ status: "not_applicable", measured: 2 });
    expect(judgeLoss(other, perToken(1), 0).status).toBe("not_applicable");
  }
});

test("the first deployment has no validation loss to compare with", () => {
  expect(judgeLoss(withLoss(9), null, 0)).toMatchObject({ status: "not_applicable" });
});

test("a checkpoint must be stored, have an inference profile and be free of deleted words", () => {
  const [profile, taintedAt] = [{}, null];
  expect(judgeCheckpoint({ profile, taintedAt }).status).toBe("passed");
  for (const one of [undefined, { profile: null, taintedAt }, { profile, taintedAt: 1 }]) {
    expect(judgeCheckpoint(one)).toMatchObject({ gate: "checkpoint", status: "failed" });
  }
});

test("answers may be worse by the allowed amount, and the gate does not apply without answers", () => {
  const status = (drop: number | null, allowed: number) => judgePreserved({ status: "done", drop }, allowed).status;
  expect([status(0, 0), status(-0.1, 0), status(0.05, 0.05), status(0.06, 0.05), status(null, 0)]).toEqual([
    "passed",
    "passed",
    "passed",
    "failed",
    "not_applicable",
  ]);
  expect(judgePreserved({ status: "failed", message: "The trainer is gone." }, 1).status).toBe("failed");
  expect(judgePreserved({ status: "waiting" }, 1).status).toBe("waiting");
});

test("a checkpoint that is served unchanged needs no parity", () => {
  expect(judgeParity(null, "passed").status).toBe("not_applicable");
  expect(judgeParity({ kind: "gguf" }, "failed").status).toBe("failed");
});
