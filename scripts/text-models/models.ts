import { agentOrderData } from "./data/agent-order";
import { jailbreakData } from "./data/jailbreak";
import { harmfulRequestData, overRefusalData } from "./data/over-refusal";
import { refusalData } from "./data/refusal";
import type { DataSet } from "./read-data";
import type { Training } from "./train";

/** One model: what it predicts, from which data, and how it is trained. */
export type TextModelSpec = { name: string; predicts: string; data: readonly DataSet[]; training: Training };

/** The models that `npm run models:train` trains. A new one needs an entry here and a file of readers in `data/`. */
export const TEXT_MODELS: readonly TextModelSpec[] = [
  {
    name: "refusal",
    predicts: "An assistant's answer declines what was asked, wholly or in part.",
    data: refusalData,
    training: {
      features: {
        bits: 16,
        length: true,
        views: [
          { from: "start", characters: 150, words: [1, 3], letters: null },
          { from: "start", characters: 600, words: [1, 2], letters: null },
        ],
      },
      regularisation: 0.3,
      keep: 12_000,
      minimumTexts: 2,
      balanced: true,
    },
  },
  {
    name: "over-refusal",
    predicts: "An answer that refuses was given to a harmless request.",
    data: overRefusalData,
    training: {
      features: {
        bits: 16,
        length: true,
        views: [
          { from: "start", characters: 150, words: [1, 3], letters: null },
          { from: "start", characters: 1500, words: [1, 2], letters: null },
        ],
      },
      regularisation: 0.3,
      keep: 12_000,
      minimumTexts: 2,
      balanced: true,
    },
  },
  {
    name: "harmful-request",
    predicts: "A request asks for something harmful.",
    data: harmfulRequestData,
    training: {
      features: {
        bits: 16,
        length: false,
        views: [{ from: "start", characters: 400, words: [1, 2], letters: null }],
      },
      regularisation: 0.3,
      keep: 12_000,
      minimumTexts: 1,
      balanced: true,
    },
  },
  {
    name: "jailbreak",
    predicts:
      "A user's message tries to talk the model out of its rules: by a persona, a pretext, or a new set of rules.",
    data: jailbreakData,
    training: {
      features: {
        bits: 16,
        length: false,
        views: [{ from: "start", characters: 1500, words: [1, 3], letters: [4, 5] }],
      },
      regularisation: 0.3,
      keep: 12_000,
      minimumTexts: 3,
      balanced: true,
    },
  },
  {
    name: "agent-order",
    predicts: "A sentence orders an agent to act or to change its answer, rather than a person.",
    data: agentOrderData,
    training: {
      features: {
        bits: 16,
        length: true,
        views: [
          { from: "start", characters: 60, words: [1, 3], letters: null },
          { from: "start", characters: 240, words: [1, 2], letters: [4, 5] },
        ],
      },
      regularisation: 0.5,
      keep: 12_000,
      minimumTexts: 2,
      balanced: true,
    },
  },
];
