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

test("right answers may become rarer by less than the margin, as far as the rows can tell", () => {
  const judge = (n: number, gained: number, lost: number, margin = 0.05, seenOnly = false) =>
    judgePreserved({ status: "done", pairs: { n, gained, lost }, seenOnly }, margin);
  expect([judge(52, 0, 0), judge(87, 0, 1), judge(25, 0, 0, 0.1)].map(({ status }) => status)).toEqual([
    "passed",
    "passed",
    "passed",
  ]);
  expect(judge(51, 0, 0)).toMatchObject({
    status: "failed",
    message: expect.stringMatching(/cannot be said.* it takes 52/),
  });
  expect(judge(0, 0, 0)).toMatchObject({ status: "failed", message: expect.stringMatching(/cannot be said/) });
  expect(judge(60, 0, 20)).toMatchObject({
    status: "failed",
    message: expect.stringMatching(/worse by more than 5 points/),
  });
  expect(judge(100, 0, 0, 0)).toMatchObject({ status: "failed", message: expect.stringMatching(/allow more/) });
  expect(judge(100, 0, 0, 0.05, true)).toMatchObject({ status: "failed", message: expect.stringMatching(/near copy/) });
});

test("answers that are not compared pass only where nothing is deployed to compare with", () => {
  const message = "No Examples were held out.";
  expect(judgePreserved({ status: "none", message }, 1).status).toBe("not_applicable");
  expect(judgePreserved({ status: "nothing_held_out", message }, 1).status).toBe("failed");
  expect(judgePreserved({ status: "failed", message: "The trainer is gone." }, 1).status).toBe("failed");
  expect(judgePreserved({ status: "waiting" }, 1).status).toBe("waiting");
});

test("a checkpoint that is served unchanged needs no parity", () => {
  expect(judgeParity(null, "passed").status).toBe("not_applicable");
  expect(judgeParity({ kind: "gguf" }, "failed").status).toBe("failed");
});
