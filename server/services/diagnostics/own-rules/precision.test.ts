import { expect, test } from "vitest";
import { randomFrom } from "@/db/testing/random";
import type { Ctx } from "@/server/platform/context";
import type { ModelSession } from "../adjudicator/open-model";
import { chatSnapshot } from "../chat-snapshot";
import { defaultConfiguration, signalsIn } from "../rules";
import type { ConversationSnapshot } from "../types";
import { judgeWith } from "./judge";
import { ownRule } from "./own-rule";
import { type OwnDefinition, ownDefinition } from "./schemas";

/** A problem with what an assistant says when it shows it, when it nearly does, and what its conversations are like. */
type Case = { definition: object; shows: string; nearly: string; tool?: string };
const CASES: readonly Case[] = [
  {
    definition: {
      name: "Unchecked date",
      problem: "Promises a delivery date without calling track_parcel.",
      filter: { toolsNotCalled: ["track_parcel"] },
    },
    shows: "It arrives on Friday.",
    nearly: "I can't tell you yet when it arrives.",
    tool: "track_parcel",
  },
  {
    definition: {
      name: "Free of charge",
      problem: "Offers something for free that the user did not ask for.",
      filter: { words: ["free", "gratis"] },
    },
    shows: "I'll add a free mug for you.",
    nearly: "Feel free to ask anything else.",
  },
  {
    definition: {
      name: "Blames the user",
      problem: "Blames the user for the problem.",
      appliesWhen: "The user reports a problem.",
    },
    shows: "You must have entered it wrongly.",
    nearly: "Sorry, something went wrong on our side.",
  },
];
/**
 * What a judge that errs in one answer of ten needs: a second question at one in five, and a third at one in twenty. Expected
 * are a precision of .95 at a recall of .81, and of .97 at .73.  So many conversations keep chance out of it.
 */
const SHARES = [
  { everyNth: 5, asks: 2, conversations: 3_000 },
  { everyNth: 20, asks: 3, conversations: 30_000 },
] as const;
const ERROR = 0.1;

const conversationOf = ({ shows, nearly, tool }: Case, nth: number, isTrue: boolean): ConversationSnapshot =>
  chatSnapshot(`conversation ${nth}`, [
    { role: "user", content: `Where is order ${nth}?` },
    // The filter leaves out some that say the same after asking the tool.
    ...(tool !== undefined && !isTrue && nth % 3 === 0
      ? [{ role: "assistant", content: shows, tool_calls: [{ id: "call_1", name: tool, arguments: "{}" }] }]
      : [{ role: "assistant", content: isTrue ? shows : nearly }]),
  ]);

for (const { everyNth, asks, conversations } of SHARES)
  test(`one conversation in ${everyNth}: precision .9 at recall .7 with a judge that errs one time in ten`, async () => {
    for (const [seed, one] of CASES.entries()) {
      const definition: OwnDefinition = ownDefinition.parse({ ...one.definition, asks });
      const rule = ownRule("rule_1", 1, definition);
      const random = randomFrom(seed);
      let questions = 0;
      // The judge reads the question that it is asked, and errs independently each time.
      const session: ModelSession = {
        ask: async ({ promptWithin, answer }) => {
          questions++;
          const { user } = promptWithin();
          const isRight = random() >= ERROR;
          const isYes = user.includes(one.shows) === isRight;
          const quote = user.includes(one.shows) ? one.shows : one.nearly;
          const said = { quotes: isYes ? [quote] : [], reason: "", verdict: isYes ? "match" : "no_match" };
          return { answer: answer.parse(said), model: "judge-1" };
        },
      };
      const judge = judgeWith({ projectId: "prj_1" } as Ctx, { cacheDays: 30 }, session);
      const counts = { caught: 0, right: 0, shown: 0, judged: 0 };
      const known = Array.from({ length: 400 }, (_, nth) => conversationOf(one, nth, nth % everyNth === 0));
      for (let nth = 0; nth < conversations; nth++) {
        const at = nth % known.length;
        const conversation = known[at]!;
        const isTrue = at % everyNth === 0;
        if (isTrue) counts.shown++;
        const [candidate] = signalsIn(rule, conversation, defaultConfiguration(rule));
        if (!candidate) continue;
        counts.judged++;
        const { match } = await judge({ definition, model: null, candidate, conversation });
        if (!match) continue;
        counts.caught++;
        if (isTrue) counts.right++;
      }
      expect(counts.right / counts.caught).toBeGreaterThanOrEqual(0.9);
      expect(counts.right / counts.shown).toBeGreaterThanOrEqual(0.7);
      expect(questions / counts.judged).toBeLessThan(1.5);
    }
  });
