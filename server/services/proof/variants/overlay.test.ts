import { expect, test } from "vitest";
import { rewritten, withOverlay } from "./overlay";

const RECORDED = "You are a shop assistant.\nToday is Monday.\nBe brief.\nNever promise a delivery date.";
const BETTER = RECORDED.replace("Be brief.", "Be brief.\nAsk before you cancel an order.");
const system = (content: string) => ({ role: "system", content });
const USER = { role: "user", content: "Where is my order?" };
const NO_TOOLS = { toolDescriptions: {} };

test("a system prompt that was filled in for each call is changed in the same place", () => {
  const filled = RECORDED.replace("Monday", "Friday");
  expect(rewritten(filled, RECORDED, BETTER)).toBe(BETTER.replace("Monday", "Friday"));
  expect(rewritten(RECORDED, RECORDED, BETTER)).toBe(BETTER);
});

test("what is filled in may be longer, in the same line as a change, and at either end", () => {
  const before = "You help Ann. Today is Monday. Be brief.";
  const after = "You help Ann. Today is Monday. Be very brief. Ask first.";
  expect(rewritten("You help Bob B. Bobson. Today is the 1st of May. Be brief.", before, after)).toBe(
    "You help Bob B. Bobson. Today is the 1st of May. Be very brief. Ask first.",
  );
  expect(rewritten("You help Bob. Today is Friday. Be brief.", before, before.replace(" Be brief.", ""))).toBe(
    "You help Bob. Today is Friday.",
  );
  expect(rewritten("You help Bob. Today is Friday. Be brief.", before, `Hello.\n${before}`)).toBe(
    "Hello.\nYou help Bob. Today is Friday. Be brief.",
  );
  // What is changed is what was filled in.
  expect(rewritten("You help Bob. Today is Friday. Be brief.", before, before.replace("Ann", "Zoe"))).toBeNull();
});

test("another system prompt is left, and that is said", () => {
  const other = { messages: [system("You translate from English to German."), USER] };
  expect(withOverlay(other, { ...NO_TOOLS, basedOn: RECORDED, systemPrompt: BETTER })).toBeNull();
  expect(withOverlay({ messages: [USER] }, { ...NO_TOOLS, basedOn: RECORDED, systemPrompt: BETTER })).toBeNull();
});

test("a system prompt that was written from nothing replaces any, and is added where there is none", () => {
  const change = { ...NO_TOOLS, basedOn: null, systemPrompt: "Be kind." };
  expect(withOverlay({ messages: [system("Be rude."), USER] }, change)?.messages).toEqual([system("Be kind."), USER]);
  expect(withOverlay({ messages: [USER] }, change)?.messages).toEqual([system("Be kind."), USER]);
});

test("only descriptions of named tools change", () => {
  const tool = (name: string, description: string) => ({ type: "function", function: { name, description } });
  const request = { messages: [USER], tools: [tool("track", "Tracks."), tool("cancel", "Cancels.")] };
  const change = { basedOn: null, systemPrompt: null, toolDescriptions: { cancel: "Cancels. Ask first.", gone: "?" } };
  expect(withOverlay(request, change)).toEqual({
    messages: [USER],
    tools: [tool("track", "Tracks."), tool("cancel", "Cancels. Ask first.")],
  });
});
