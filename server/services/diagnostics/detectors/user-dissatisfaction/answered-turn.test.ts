import { expect, test } from "vitest";
import { assistant, conversationOf, user } from "@/bench/labelled/conversation";
import { agrees, hasOtherValues, reportsAResult } from "./answered-turn";
import { rephrasedRequest } from "./rephrased-request";

test.each([
  "I restarted it as you said, and it still shows “No signal”.",
  "I've turned off airplane mode, but my phone is not connected.",
  "Here's what the status check says now: mobile data is enabled.",
  "Ich habe das Gerät neu gestartet, es zeigt immer noch keinen Empfang.",
  "J'ai redémarré la box, elle clignote toujours.",
])("%j reports a result", (text) => expect(reportsAResult(text)).toBe(true));
test.each(["I've told you three times: where is my order?", "How do I export all invoices as PDF files?"])(
  "%j reports none",
  (text) => expect(reportsAResult(text)).toBe(false),
);

test("a turn that accepts an offer or names another date is not the same request", () => {
  expect(agrees("Yes, please use my Visa card.")).toBe(true);
  expect(agrees("Yesterday it worked.")).toBe(false);
  expect(hasOtherValues("And a table for two on Friday?", "A table for two on Thursday?")).toBe(true);
});

test("a user who follows instructions does not ask again", () => {
  const steps = conversationOf(
    user("My phone shows no signal after the update, what can I try next?"),
    assistant("Please restart the phone."),
    user("I restarted the phone, and it still shows no signal after the update. What can I try next?"),
    assistant("Please reset the APN settings."),
  );
  expect(rephrasedRequest.detect(steps, { keywords: [] })).toEqual([]);
});
