import { z } from "zod";
import { SEVERITIES } from "@/db/schema/enumerations";
import { filledText, idInput } from "@/server/platform/schemas";
import { failsWhen } from "../evaluators/schemas";

const NAME_CHARACTERS = 80;
const WORDS_CHARACTERS = 1000;
export const CRITERIA_MAX = 4;
const ENTRIES_MAX = 50;
const EVALUATORS_MAX = 10;
export const ASKS_MAX = 3;

const entries = z.array(filledText(200)).max(ENTRIES_MAX).default([]);

/** What code checks before a model is asked, if one is. A conversation that fails one of these is not a match. */
const filter = z.strictObject({
  /** At least one of these tools was called. */
  toolsCalled: entries,
  /** None of these tools was called. */
  toolsNotCalled: entries,
  /** At least one of these occurs: literally, as whole words, case-insensitively, in any message but the instructions. */
  words: entries,
  /** The user wrote at least so many messages. */
  minUserMessages: z.int().min(0).max(1000).default(0),
  /** A result of at least one of these evaluators fails. */
  evaluators: z
    .array(z.strictObject({ name: filledText(500), failsWhen }))
    .max(EVALUATORS_MAX)
    .default([]),
});
export type OwnFilter = z.infer<typeof filter>;
export const NO_FILTER: OwnFilter = filter.parse({});

/** A Rule in a person's words. */
export const ownDefinition = z.strictObject({
  name: filledText(NAME_CHARACTERS),
  /** What is wrong. */
  problem: filledText(WORDS_CHARACTERS),
  /** When it applies; `null` for any conversation. */
  appliesWhen: filledText(WORDS_CHARACTERS).nullable().default(null),
  /** Statements about facts, each of which must hold. */
  criteria: z.array(filledText(500)).max(CRITERIA_MAX).default([]),
  severity: z.enum(SEVERITIES).default("medium"),
  filter: filter.default(NO_FILTER),
  /** How many questions, each different, must be answered with yes; with 0 no model is asked, and what passes the filter matches. */
  asks: z.int().min(0).max(ASKS_MAX).default(ASKS_MAX),
});
export type OwnDefinition = z.infer<typeof ownDefinition>;

const EXAMPLE = {
  name: "Unchecked delivery date",
  problem: "Promises a delivery date without calling track_parcel.",
  appliesWhen: "The user asks where a parcel is.",
  filter: { toolsNotCalled: ["track_parcel"] },
};

export const createRuleInput = ownDefinition.meta({ examples: [EXAMPLE] });
export const createRuleVersionInput = ownDefinition.extend({ ruleId: idInput }).meta({ examples: [EXAMPLE] });

export const proposeFilterInput = ownDefinition
  .pick({ problem: true, appliesWhen: true })
  .meta({ examples: [{ problem: EXAMPLE.problem, appliesWhen: EXAMPLE.appliesWhen }] });
export const filterProposalReply = z.object({
  proposal: z.object({
    filter,
    /** Why each part is proposed, in sentences. */
    reasons: z.array(z.string()),
    /** Tools that the newest conversations called. */
    tools: z.array(z.string()),
    conversationsRead: z.int(),
  }),
});

/** Most conversations that one trial reads, and whose passing ones it asks the model about. */
export const TRIED_MAX = 500;
export const JUDGED_MAX = 40;
export const tryOwnRuleInput = ownDefinition
  .extend({
    /** The newest conversations that are read. */
    conversations: z.int().min(1).max(TRIED_MAX).default(200),
    /** How many of them the model is asked about at most. */
    judged: z.int().min(1).max(JUDGED_MAX).default(20),
    /** Default: the connection's. */
    model: filledText(200).nullable().default(null),
  })
  .meta({ examples: [EXAMPLE] });

const triedConversation = z.object({
  conversationId: z.string(),
  /** Its first user message in a line; `null` if there is none. */
  preview: z.string().nullable(),
  quotes: z.array(z.string()),
  /** The model's own sentence about its last answer. */
  reason: z.string(),
  /** Whether it passed the filter; a few that do not are judged to see what the filter costs. */
  passedFilter: z.boolean(),
  /** Questions that it was asked. */
  asked: z.int(),
});
export type TriedConversation = z.infer<typeof triedConversation>;

const trial = z.object({
  /** Conversations read, and those of them that passed the filter. */
  conversations: z.int(),
  passed: z.int(),
  /** Those that passed and that the model has judged, and those of them that it found to match. */
  judged: z.int(),
  caught: z.int(),
  /** Conversations that the filter left out and that were judged anyway, and those of them that match. */
  leftOutJudged: z.int(),
  leftOutCaught: z.int(),
  /** Questions per judged conversation that passed; `null` without one. */
  asksPerJudged: z.number().nullable(),
  /** Expected for 1,000 conversations, of which the filter lets as many through as here. `null` when unknown. */
  questionsPer1000: z.number().nullable(),
  usdPer1000: z.number().nullable(),
  model: z.string().nullable(),
  /** Up to five that it would have caught, and up to five near misses. */
  examples: z.array(triedConversation),
  nearMisses: z.array(triedConversation),
  /** Whether everything asked for was judged. Otherwise another call goes on: what was answered is not asked again. */
  complete: z.boolean(),
  /** Why the model could not be asked; `null` if it could. */
  problem: z.string().nullable(),
});
export type Trial = z.infer<typeof trial>;
export const trialReply = z.object({ trial });
/** Reply to a caller who may not read conversations, nor what is connected. */
export const triedReply = z.object({
  trial: trial.omit({ examples: true, nearMisses: true, model: true, problem: true }),
});
