import { excerpt } from "@/server/platform/excerpt";
import type { Detector } from "../../types";
import { mergeByCause, quoteMessage } from "../reading/evidence";
import { sentenceAround } from "../reading/sentence";
import { userTurns } from "../reading/user-turns";
import { phraseSets } from "../reading/words/phrase-sets";

const PERSON =
  "(a|an|the|your|some|) (human|real person|real human|actual person|live person|live agent|human agent|real agent|human being|human representative|customer service representative|live representative|representative|supervisor|manager|operator|person instead)";
const KINDS = {
  human: {
    score: 0.9,
    title: "The user asks for a person instead of the assistant",
    phrases: [
      `(speak|talk|chat) (to|with) ${PERSON}`,
      `(transfer|connect|forward|escalate|pass|put) me (over|through|on|) (to|with) ${PERSON}`,
      "(talk|speak) (to|with) (someone|somebody) (real|human|else|who can|in charge|higher up)",
      "(get|give) me (a|an|the|your|) (human|real person|live agent|human agent|supervisor|manager|representative)",
      `(i|we) (want|need|demand|would like|d like) (to see|) (a|an|the|your|) (human|real person|real human|live agent|human agent|supervisor)`,
      "(is there|can i get) (a|an) (human|real person|live agent|human agent|supervisor)",
      "(escalate|escalating) (this|my case|my issue|the issue|the case|my complaint)",
      "(mit einem|mit einer|einen) (menschen|mitarbeiter|mitarbeiterin|echten menschen|berater|vorgesetzten) (sprechen|reden|verbinden)",
      "(ich möchte|ich will|kann ich) mit (einem|einer|ihrem) (menschen|mitarbeiter|mitarbeiterin|vorgesetzten|chef|echten menschen)",
      "parler (à|avec) (un|une|votre) (humain|conseiller|conseillère|responsable|personne|vrai conseiller|agent)",
      "hablar con (un|una|el|su) (humano|persona|persona real|agente|agente humano|supervisor|supervisora|encargado|gerente|operador)",
      "falar com (um|uma|o) (humano|pessoa|atendente|supervisor|gerente)",
      "parlare con (un|una|il) (operatore|persona|umano|responsabile)",
      ...["转人工", "人工客服", "找你们经理", "找经理", "叫你们领导"],
      ...["人と話", "担当者と話", "オペレーターに", "担当者に代わ", "上の人", "人間と話"],
    ],
  },
  complaint: {
    score: 0.8,
    title: "The user wants to complain about the assistant",
    phrases: [
      "(file|make|lodge|submit|raise) (a|an|my|) (formal|official|) complaint",
      "(want|like|going) to complain",
      "(how|where) (do|can) i complain",
      "(better business bureau|consumer protection agency)",
      "(eine|meine) beschwerde (einreichen|einlegen)",
      "(ich möchte|ich will) mich beschweren",
      "(déposer|faire) une (plainte|réclamation)",
      "(poner|presentar|hacer) una (queja|reclamación|denuncia)",
      ...["投诉", "クレームを入れ", "苦情を"],
    ],
  },
} as const;
type Kind = keyof typeof KINDS;

const REQUESTS = phraseSets<Kind>({ human: KINDS.human.phrases, complaint: KINDS.complaint.phrases });

/** The user's own work with people or complaints: a letter to write, a rule to explain. */
const AS_A_TASK =
  /(?<!\p{L})(?:write|draft|compose|e-?mail|letter|example|explain|how (?:does|do) (?:one|people|companies)|what (?:is|does)|tips|advice|interview|script|story|essay|role-?play|schreib|rédige|escribe)(?!\p{L})/iu;

const NOT_WANTED =
  /(?<!\p{L})(?:don['’]?t|do not|rather not|without|instead of|no need to|nicht|ne veux pas|no quiero) /iu;

export const escalationRequest: Detector = {
  signal: "escalation_request",
  severity: "medium",
  enabledByDefault: true,
  looksFor: "A user who asks for a person, a supervisor or a way to complain.",
  detect: (conversation) =>
    mergeByCause(
      userTurns(conversation).flatMap(({ index, text, words: list, heardIndex }) => {
        const [found] = REQUESTS.find(list);
        if (!found) return [];
        const kind = KINDS[found.set];
        const [start, end] = sentenceAround(text, found.start, found.end);
        const words = text.slice(start, end).trim();
        const isTask = AS_A_TASK.test(text) || NOT_WANTED.test(words) || heardIndex === null;
        return [
          {
            name: "escalation_request",
            score: isTask ? kind.score / 2 : kind.score,
            verdict: isTask ? ("ambiguous" as const) : ("match" as const),
            evidence: [quoteMessage(conversation.messages, index, start, end)],
            cause: found.set === "human" ? "asks for a person" : "wants to complain",
            title: kind.title,
            summary: `The user was not satisfied with the assistant alone: “${excerpt(words, 160)}”.`,
          },
        ];
      }),
    ),
};
