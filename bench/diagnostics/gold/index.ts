import { brokenResponseGold } from "./broken-response";
import { refusalGold } from "./refusal";
import { taskFailureGold } from "./task-failure";
import { toolFailureGold } from "./tool-failure";
import type { RuleGold } from "./types";
import { unsafeContentGold } from "./unsafe-content";
import { userDissatisfactionGold } from "./user-dissatisfaction";

/**
 * The gold labels, one file per Rule. To measure a Signal on labelled data, add a line to its Rule's file that reads the labels
 * (or a new file, listed here). Return `null` for conversations whose labels say nothing about the Signal: a conversation that
 * nobody judged is not a negative. Where a text model is trained on the same file, judge only what `isHeldOut`. Labels of
 * generated conversations (`labels.signals`) need no reader.
 */
const RULES: readonly RuleGold[] = [
  toolFailureGold,
  brokenResponseGold,
  refusalGold,
  unsafeContentGold,
  taskFailureGold,
  userDissatisfactionGold,
];

/** By Signal. */
export const CONVERSATION_GOLD: RuleGold["conversations"] = Object.assign(
  {},
  ...RULES.map(({ conversations }) => conversations),
);
export const MESSAGE_GOLD: NonNullable<RuleGold["messages"]> = Object.assign(
  {},
  ...RULES.map(({ messages }) => messages),
);

export type { Gold } from "./types";
