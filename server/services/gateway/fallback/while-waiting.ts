import type { Outgoing } from "@/server/platform/stream-verb";
import type { Dialect } from "../calls/dialect";
import { COMMENT, EVENT_STREAM, type Passed, reasonOf, SILENCE_MS } from "../streams/pass-on";

/** Resolves with the answer, or with `undefined` if there is none yet after a silence. */
async function withinSilence<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, SILENCE_MS, undefined);
  });
  try {
    return await Promise.race([answer, silence]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns a streamed answer that several models are asked for; before proxies give up, it begins without content. */
export async function whileWaiting(dialect: Dialect, answer: Promise<Passed>): Promise<Outgoing> {
  return (await withinSilence(answer)) ?? { mediaType: EVENT_STREAM, body: commentsBefore(dialect, answer) };
}

async function* commentsBefore(dialect: Dialect, answer: Promise<Passed>) {
  let isReached = false;
  try {
    do yield COMMENT;
    while ((await withinSilence(answer)) === undefined);
    const { mediaType, body } = await answer;
    isReached = true;
    if (mediaType === EVENT_STREAM) return yield* body;
    await drain(body);
    yield dialect.errorEvent("The model’s server did not stream its answer.");
  } catch (failure) {
    // The headers have been sent: clients look for an error among the events.
    yield dialect.errorEvent(reasonOf(failure));
  } finally {
    // The client has left, but the call must still be ended and recorded.
    if (!isReached) answer.then(({ body }) => leave(body)).catch(() => {});
  }
}

async function drain(body: AsyncIterable<unknown>) {
  for await (const _ of body);
}

async function leave(body: AsyncIterable<unknown>) {
  for await (const _ of body) return;
}
