import { createHash } from "node:crypto";
import type { ChatPayload } from "../chat-payload/schemas";
import { answerKey, askedOf, bandsOf, type LikenessOf } from "./groups";
import { withoutInstructions } from "./stored-likeness";

const KEY_BYTES = 6;

/** What an Example is recognised by as a copy of others in its Dataset. */
export type Traces = {
  /** The words of its question; `null` if it has too few to compare. */
  words: ReadonlySet<string> | null;
  /** Stored and indexed: near copies share at least one band. */
  bands: number[];
  /** Equal for the same long answer; `null` for a short one. */
  answer: number | null;
};

const keyOf = (datasetId: string, text: string) =>
  createHash("sha256").update(`${datasetId}\0${text}`).digest().readUIntBE(0, KEY_BYTES);

const traces = new WeakMap<object, Map<string, Traces>>();

/** Returns the traces of a payload in a Dataset, computed once. */
export function tracesOf(datasetId: string, payload: ChatPayload): Traces {
  const known = traces.get(payload)?.get(datasetId);
  if (known) return known;
  const { content } = payload.expectedOutput.message;
  const made = tracesFrom(datasetId, {
    messages: withoutInstructions(payload.input.messages as LikenessOf["messages"]),
    answer: typeof content === "string" ? content : null,
  });
  traces.set(payload, new Map([...(traces.get(payload) ?? []), [datasetId, made]]));
  return made;
}

/** Returns the traces of an Example, of whose messages those of the application are left out. */
export function tracesFrom(datasetId: string, of: Pick<LikenessOf, "messages" | "answer">): Traces {
  const words = askedOf(of);
  const answer = answerKey(of.answer);
  return {
    words,
    bands: words === null ? [] : bandsOf(words).map((band) => keyOf(datasetId, band)),
    answer: answer === null ? null : keyOf(datasetId, `answer ${answer}`),
  };
}

/** Returns the keys that are stored with an Example. */
export const likenessKeys = ({ bands, answer }: Traces): number[] => [...bands, ...(answer === null ? [] : [answer])];
