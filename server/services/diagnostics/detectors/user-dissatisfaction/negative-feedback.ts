import { excerpt } from "@/server/platform/excerpt";
import type { SnapshotFeedback } from "@/server/services/telemetry/feedback/schemas";
import type { ConversationSnapshot, DetectedSignal, Detector } from "../../types";
import { mergeByCause, quoteMessage } from "../reading/evidence";
import { sentenceAround } from "../reading/sentence";
import { userTurns } from "../reading/user-turns";
import { phraseSets } from "../reading/words/phrase-sets";
import { USER_CUES } from "./cues";
import { shareOfScale } from "./share-of-scale";

const GIVEN_SCORE = 0.95;
/** A score in the middle of its scale. */
const MIDDLING_SCORE = 0.4;
const COMMENT_SCORE = 0.8;
const SAID_SCORE = 0.8;

/** Shares of a scale. */
const LOW = 0.35;
const MIDDLING = 0.5;

/** Verdicts on the answer itself, not on the thing that it is about. */
const VERDICTS = phraseSets({
  bad: [
    "(this|that|it) (doesnt|does not|didnt|did not|isnt|is not|wasnt|was not) (really|actually|even|very|) (help me|help us|help at all|helpful|useful|answer my question|answer the question|what i asked|what i asked for|what i needed|what i wanted)",
    "(thats|its) not (really|actually|very|at all|) (helpful|useful|helping|what i asked|what i asked for|what i needed|what i wanted)",
    "not (very|really|at all|) (helpful|helping) at all",
    "you (didnt|did not|havent|have not|still havent|still didnt) (answer|answered|help|helped|fix|fixed) (me|my question|the question|it|anything|my problem)",
    "(your|this) (answer|response|reply|advice|suggestion) (is|was) (wrong|useless|bad|terrible|not helpful|unhelpful|no help|incorrect|nonsense)",
    "(bad|terrible|useless|wrong|unhelpful) (answer|response|reply|advice)",
    "you(re| are) (not helping|no help|not being helpful)",
    "das (hilft|hat) mir (leider|) (nicht|nicht geholfen)",
    "das (ist|war) (leider|) (nicht hilfreich|keine antwort|keine hilfe)",
    "(ça ne maide pas|cela ne maide pas|ce nest pas utile|ça ne répond pas)",
    "(eso no me ayuda|esto no me ayuda|no me sirve|no me ayuda|eso no responde)",
    "(isso não ajuda|isso não me ajuda|non mi aiuta|non è utile)",
    ...[
      "没有帮助",
      "没帮助",
      "答非所问",
      "没解决",
      "没有解决",
      "役に立ちません",
      "役に立たない",
      "答えになって",
      "解決していません",
    ],
  ],
});

const TITLES = {
  "thumb down": (ofWhom: string) => `A user gives ${ofWhom} a thumbs down`,
  "low score": (ofWhom: string) => `A user gives ${ofWhom} a low score`,
  complaint: (ofWhom: string) => `A user complains about ${ofWhom} in feedback`,
};

export const negativeFeedback: Detector = {
  signal: "negative_feedback",
  severity: "high",
  enabledByDefault: true,
  looksFor: "A thumbs down, a low score or a complaint that a user gave as feedback, or said about an answer.",
  detect: (conversation) => mergeByCause([...given(conversation), ...said(conversation)]),
};

function given(conversation: ConversationSnapshot): DetectedSignal[] {
  return (conversation.feedback ?? []).flatMap((one) => {
    if (!one.givenByUser) return [];
    const verdict = verdictOf(one, conversation.feedback ?? []);
    if (!verdict) return [];
    const { score, what, cause } = verdict;
    const words = one.kind === "comment" ? String(one.value) : one.comment;
    const index = one.messageIndex ?? lastAnswer(conversation);
    const ofWhom = one.messageIndex === null ? "the conversation" : "an answer";
    return [
      {
        name: "negative_feedback",
        score,
        verdict: score === MIDDLING_SCORE ? ("ambiguous" as const) : ("match" as const),
        evidence: index === null ? [] : [quoteMessage(conversation.messages, index)],
        cause,
        title: TITLES[cause](ofWhom),
        summary: `A user gave ${ofWhom} ${lower(what)}${words ? ` and wrote “${excerpt(words, 160)}”` : ""}.`,
      },
    ];
  });
}

const lower = (text: string) => `a ${text.toLowerCase()}`;

function verdictOf(one: SnapshotFeedback, all: readonly SnapshotFeedback[]) {
  if (one.kind === "thumb") {
    return one.value === "down" ? { score: GIVEN_SCORE, what: "Thumbs down", cause: "thumb down" as const } : null;
  }
  if (one.kind === "score") {
    const share = shareOfScale(one, all);
    if (share === null || share > MIDDLING) return null;
    const what = `Score of ${one.value}`;
    return { score: share <= LOW ? GIVEN_SCORE : MIDDLING_SCORE, what, cause: "low score" as const };
  }
  if (one.kind === "correction") return null;
  const cues = new Set(USER_CUES.find(String(one.value)).map(({ set }) => set));
  const isNegative = cues.has("anger") || ((cues.has("complaint") || cues.has("dislike")) && !cues.has("content"));
  return isNegative || VERDICTS.find(String(one.value)).length > 0
    ? { score: COMMENT_SCORE, what: "Complaint", cause: "complaint" as const }
    : null;
}

function said(conversation: ConversationSnapshot): DetectedSignal[] {
  return userTurns(conversation).flatMap(({ index, text, words: list, heardIndex }) => {
    if (heardIndex === null) return [];
    const [found] = VERDICTS.find(list);
    if (!found) return [];
    const [start, end] = sentenceAround(text, found.start, found.end);
    const words = text.slice(start, end).trim();
    return [
      {
        name: "negative_feedback",
        score: SAID_SCORE,
        verdict: "match" as const,
        evidence: [quoteMessage(conversation.messages, index, start, end)],
        cause: "said of an answer",
        title: "The user says that an answer did not help",
        summary: `The user said that the previous answer did not help: “${excerpt(words, 160)}”.`,
      },
    ];
  });
}

function lastAnswer({ messages }: ConversationSnapshot): number | null {
  const index = messages.findLastIndex(({ role }) => role === "assistant");
  return index < 0 ? null : index;
}
