import { setTimeout as sleep } from "node:timers/promises";
import { askForRuns, knownTrace, runIdsOf, sendTrace } from "../../e2e/support/known-load";
import type { TestProject } from "../../e2e/support/project";

const SENDERS = 4;
const TRACES_A_SESSION = 3;
/** Many more would fill the database with what this is not about. */
const BETWEEN_BATCHES_MS = 50;
const BETWEEN_REQUESTS_MS = 200;
/** Sessions between the one that is being sent and the one whose Runs are asked for. */
const SESSIONS_BEHIND = 3;

/** What OpenTelemetry's exporter sends again, and how long it waits when nothing says how long. */
const TRIED_AGAIN = new Set([429, 502, 503, 504]);
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 5_000;
/** Told to be patient, as an exporter is that has to come through a restart. */
const PATIENCE_MS = 180_000;

export type Load = {
  /** `trace/span` of every span of a batch that was answered with 200, in the order of the answers. */
  acknowledged: string[];
  /** Of every span that was ever sent. */
  sent: Set<string>;
  /** The session of each acknowledged trace. */
  sessions: Set<string>;
  /** Batches that were sent more than once. */
  sentAgain: number;
  /** Requests to which nothing was answered within the sender's patience. */
  givenUp: string[];
  /** Answers that an exporter neither takes for a success nor tries again. */
  refused: string[];
  /** Requests for Runs that were answered, and the Runs that each was told of. */
  asked: { key: string; session: string; runIds: string[] }[];
  /** Requests for Runs that were not answered: they happened or not. */
  unanswered: number;
};

type Answer = { status: number; reply: Response; tries: number };

/** Asks until there is an answer, as an exporter does. */
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
 * Senders that send and one that asks for Rule Runs, until told to stop; `stop` waits for what is under way. `urlOf` says
 * where each request goes, as a balancer does.
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

  /** Returns whether the session could be read. */
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
      // A busy machine reads sessions later than they are sent: asking for ever newer ones would never find one.
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
