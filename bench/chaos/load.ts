import { setTimeout as sleep } from "node:timers/promises";
import type { TestProject } from "../../testbed/data/project";
import { askForRuns, knownTrace, runIdsOf, sendTrace } from "../../testbed/product/known-load";

const SENDERS = 4;
const TRACES_A_SESSION = 3;
/** Sending faster would fill the database with data that is irrelevant here. */
const BETWEEN_BATCHES_MS = 50;
const BETWEEN_REQUESTS_MS = 200;
/** Sessions between the one being sent and the one whose Runs are requested. */
const SESSIONS_BEHIND = 3;

/** Statuses that OpenTelemetry's exporter retries, and its backoff without a Retry-After. */
const TRIED_AGAIN = new Set([429, 502, 503, 504]);
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 5_000;
/** Like an exporter configured to survive a restart. */
const PATIENCE_MS = 180_000;

export type Load = {
  /** `trace/span` of every span in a batch acknowledged with 200, in the order of the responses. */
  acknowledged: string[];
  /** Every span ever sent. */
  sent: Set<string>;
  /** The session of each acknowledged trace. */
  sessions: Set<string>;
  /** Retried batches. */
  sentAgain: number;
  /** Requests without a response within the sender's time limit. */
  givenUp: string[];
  /** Responses that an exporter neither accepts nor retries. */
  refused: string[];
  /** Acknowledged requests for Runs, and the Runs that each reply named. */
  asked: { key: string; session: string; runIds: string[] }[];
  /** Requests for Runs without a response, which may or may not have taken effect. */
  unanswered: number;
};

type Answer = { status: number; reply: Response; tries: number };

/** Retries until there is a response, as an exporter does. */
async function untilAnswered(
  ask: () => Promise<Response>,
  again: (status: number) => boolean,
): Promise<Answer | undefined> {
  const deadline = performance.now() + PATIENCE_MS;
  for (let tries = 1; performance.now() < deadline; tries += 1) {
    const reply = await ask().catch(() => undefined);
    if (reply && !again(reply.status)) return { status: reply.status, reply, tries };
    const told = Number(reply?.headers.get("retry-after")) * 1000;
    await sleep(told || Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 1.5 ** (tries - 1)) * (0.8 + Math.random() * 0.4));
  }
  return undefined;
}

/**
 * Starts senders and one client that requests Rule Runs, until stopped; `stop` waits for requests in progress. `urlOf`
 * chooses the target of each request, as a balancer does.
 */
export function startLoad(project: TestProject, writer: string, urlOf = () => project.url) {
  const load: Load = {
    acknowledged: [],
    sent: new Set(),
    sessions: new Set(),
    sentAgain: 0,
    givenUp: [],
    refused: [],
    asked: [],
    unanswered: 0,
  };
  let going = true;
  const done: string[] = [];

  async function sendOne(session: string) {
    const made = knownTrace(session);
    const ids = made.spans.map(({ spanId }) => `${made.traceId}/${spanId}`);
    for (const id of ids) load.sent.add(id);
    const answer = await untilAnswered(
      () => sendTrace(project, urlOf(), made),
      (status) => TRIED_AGAIN.has(status),
    );
    if (!answer) return void load.givenUp.push(`batch ${made.traceId}`);
    if (answer.tries > 1) load.sentAgain += 1;
    if (answer.status !== 200) return void load.refused.push(`batch ${made.traceId}: ${answer.status}`);
    load.acknowledged.push(...ids);
    load.sessions.add(session);
  }

  const senders = Array.from({ length: SENDERS }, async (_, sender) => {
    for (let i = 0; going; i += 1) {
      const session = `session-${sender}-${Math.floor(i / TRACES_A_SESSION)}`;
      await sendOne(session);
      if (i % TRACES_A_SESSION === TRACES_A_SESSION - 1) done.push(session);
      await sleep(BETWEEN_BATCHES_MS);
    }
  });

  /** Returns whether the session was readable. */
  async function askOne(session: string, activity: number): Promise<boolean> {
    const key = crypto.randomUUID();
    const answer = await untilAnswered(
      () => askForRuns(project, urlOf(), { writer, session, activity, key }),
      (status) => TRIED_AGAIN.has(status) || status === 409,
    );
    if (!answer) {
      load.unanswered += 1;
      load.givenUp.push(`request for Runs of ${session}`);
      return true;
    }
    if (answer.status === 404) return false;
    if (answer.status === 202) load.asked.push({ key, session, runIds: await runIdsOf(answer.reply) });
    else load.refused.push(`Runs of ${session}: ${answer.status}`);
    return true;
  }
  const asker = (async () => {
    let session: string | undefined;
    for (let activity = 1; going; activity += 1) {
      // A busy machine lags behind the senders: requesting ever newer sessions would never find a readable one.
      session ??= done[done.length - SESSIONS_BEHIND];
      if (session && (await askOne(session, activity))) session = undefined;
      await sleep(BETWEEN_REQUESTS_MS);
    }
  })();

  return {
    load,
    async stop() {
      going = false;
      await Promise.all([...senders, asker]);
    },
  };
}
