import { describe, expect, test } from "vitest";
import { phraseSets, wordList } from "./phrase-sets";

const SETS = phraseSets({
  wrong: ["(thats|that is) (so|) wrong", "wrong", "das ist falsch", "違います", "vous avez mal compris"],
  human: ["(speak|talk) to (a|an|) (human|agent)"],
});
const found = (text: string) => SETS.find(text).map(({ set, start, end }) => [set, text.slice(start, end)]);

describe("phrases", () => {
  test("are found as whole words, whatever their case and apostrophes", () => {
    expect(found("No, THAT’S so wrong!")).toEqual([
      ["wrong", "THAT’S so wrong"],
      ["wrong", "wrong"],
    ]);
    expect(found("That's wrong")[0]).toEqual(["wrong", "That's wrong"]);
    expect(found("wrongly accused")).toEqual([]);
    expect(found("talk to human")).toEqual([["human", "talk to human"]]);
    expect(found("Das ist falsch.")).toEqual([["wrong", "Das ist falsch"]]);
    expect(found("Vous avez mal compris")).toHaveLength(1);
  });

  test("of scripts without spaces are found anywhere", () => {
    expect(found("いや、違いますよ")).toEqual([["wrong", "違います"]]);
  });

  test("are reported with the index of their first word", () => {
    expect(SETS.find("no this is wrong").map(({ word }) => word)).toEqual([3]);
  });

  test("are found in a word list as in its text", () => {
    expect(SETS.find(wordList("that is wrong"))).toEqual(SETS.find("that is wrong"));
  });

  test("are found in time linear in the text", () => {
    const start = performance.now();
    SETS.find("that is so ".repeat(100_000));
    expect(performance.now() - start).toBeLessThan(2000);
  });
});
