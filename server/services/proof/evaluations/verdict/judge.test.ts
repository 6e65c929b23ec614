import { expect, test } from "vitest";
import { countedOutcome, judge, wordF1 } from "./judge";

const stop = (content: string) => ({ content, finishReason: "stop" as const });
const cut = (content: string) => ({ content, finishReason: "length" as const });
const verdict = (expected: string, before: Parameters<typeof judge>[1], after: Parameters<typeof judge>[2]) => {
  const { outcome, reason } = judge(expected, before, after);
  return `${outcome}: ${reason}`;
};

const ANSWER = "Your order 4711 arrives tomorrow.";

test("the expected answer wins, regardless of case, whitespace and Unicode form", () => {
  expect(verdict(ANSWER, stop("I do not know."), stop("your  order 4711\narrives tomorrow."))).toBe(
    "win: matches_expected",
  );
  expect(verdict("Café au lait", stop("Café au lait"), stop("Tea"))).toBe("loss: matches_expected");
  expect(verdict(ANSWER, stop(ANSWER), stop(ANSWER.toUpperCase()))).toBe("tie: both_match");
});

test("an empty or truncated answer loses to one that is neither, however similar it is", () => {
  expect(verdict(ANSWER, stop(" \n"), stop("Something else"))).toBe("win: empty");
  expect(verdict(ANSWER, stop("Tomorrow"), cut("Your order 4711 arrives tom"))).toBe("loss: cut_off");
  expect(verdict(ANSWER, stop(""), cut("Your order"))).toBe("win: empty");
});

test("expected JSON is compared by value, and prose loses", () => {
  const expected = '{"city": "Bern", "days": [1, 2]}';
  expect(verdict(expected, stop("Bern, for 1 or 2 days"), stop('{"days":[1,2],"city":"Bern"}'))).toBe(
    "win: matches_expected",
  );
  expect(verdict(expected, stop('{"city":"Basel"}'), stop("Bern, days 1 and 2"))).toBe("loss: not_json");
});

test("an answer in another language loses", () => {
  const expected = "You can return the shoes within thirty days and we will send the money back to your account.";
  const german = "Sie können die Schuhe innerhalb von dreißig Tagen zurückgeben und wir überweisen das Geld zurück.";
  const english = "The shoes may be returned and the money will be sent back to you by the shop after that.";
  expect(verdict(expected, stop(german), stop(english))).toBe("win: other_language");
});

test("otherwise the more similar wording wins, and a small difference is a tie", () => {
  expect(verdict(ANSWER, stop("Your parcel is late"), stop("Your order 4711 arrives on Friday"))).toBe("win: closer");
  expect(verdict(ANSWER, stop("Your order 4711 arrives soon"), stop("Your order 4711 arrives later"))).toBe(
    "tie: equally_close",
  );
  expect(verdict(ANSWER, stop("Your order 4711 arrives soon"), stop("No idea"))).toBe("loss: closer");
});

test("similarity of words is their F1, in scripts with and without spaces", () => {
  expect(wordF1("a b c d", "a b x y")).toBe(0.5);
  expect(wordF1("yes yes", "yes")).toBeCloseTo(2 / 3);
  expect(wordF1("東京に行く", "東京へ行く")).toBeCloseTo(0.8);
  expect(wordF1("1,200.50", "1,200.50 CHF")).toBeCloseTo(2 / 3);
  expect([wordF1("", ""), wordF1("a", ""), wordF1("!", "?")]).toEqual([1, 0, 0]);
});

test("a win needs an answer that is not known to be wrong, and a loss stays one", () => {
  const closer = { outcome: "win", reason: "closer" } as const;
  const right = (after: boolean | null) => ({ before: null, after: { right: after, by: "another" as const } });
  expect(countedOutcome(closer, right(false))).toEqual({ outcome: "tie", reason: "not_right" });
  expect(countedOutcome(closer, right(true))).toEqual(closer);
  expect(countedOutcome(closer, right(null))).toEqual(closer);
  expect(countedOutcome(closer, { before: null, after: null })).toEqual(closer);
  const loss = { outcome: "loss", reason: "empty" } as const;
  expect(countedOutcome(loss, right(false))).toEqual(loss);
});
