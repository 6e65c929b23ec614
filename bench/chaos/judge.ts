/** What clients were told, and what the database contains after all work is done. */
export type Evidence = {
  /** `trace/span` of every acknowledged span, and of every span ever sent. */
  acknowledged: readonly string[];
  sent: ReadonlySet<string>;
  /** From the rows of `spans`; from `model_calls` and `tool_calls` together. */
  stored: readonly string[];
  calls: readonly string[];
  /** Requests for Rule Runs: the reply to each, how many got no reply, and how many the audit log contains. */
  asked: readonly { key: string; runIds: readonly string[] }[];
  unanswered: number;
  audited: number;
  runs: readonly { id: string; rule: string; conversation: string; activity: string; status: string }[];
  /** Background jobs of the project, with the Rule Runs that each event names. */
  jobs: readonly { id: string; functionId: string; eventId: string; state: string; runIds: readonly string[] }[];
  /** Sessions with an acknowledged trace, and one row per occurrence of the Finding that all sessions share. */
  sessions: ReadonlySet<string>;
  occurrences: readonly { findingId: string; session: string }[];
  /** Findings of that one cause. */
  findings: readonly string[];
  /** Counters and summary columns that differ from a recount, in words. */
  miscounted: readonly string[];
  /** What was still open at the time limit, and what was quarantined, in words. */
  open: readonly string[];
  /** Requests without a response, and responses that make an exporter drop its data, in words. */
  givenUp: readonly string[];
  refused: readonly string[];
  /** Kills after which the product did not recover by itself, in words. */
  notBack: readonly string[];
};

export type Verdict = { claim: string; breaches: readonly string[] };

const repeated = (values: readonly string[]) => {
  const seen = new Set<string>();
  return values.filter((value) => seen.size === seen.add(value).size);
};
const missing = (wanted: Iterable<string>, from: readonly string[]) => {
  const there = new Set(from);
  return [...wanted].filter((value) => !there.has(value));
};

/** Returns every claim with its breaches; a correct product has none. */
export function judge(evidence: Evidence): Verdict[] {
  const { stored, calls, runs, jobs, occurrences } = evidence;
  const told = evidence.asked.flatMap(({ runIds }) => runIds);
  const statusOf = new Map(runs.map(({ id, status }) => [id, status]));
  const executors = jobs.flatMap(({ runIds }) => runIds);
  const audits = { least: evidence.asked.length, most: evidence.asked.length + evidence.unanswered };
  return [
    { claim: "came back by itself after every kill", breaches: evidence.notBack },
    { claim: "every request was answered within its sender's patience", breaches: evidence.givenUp },
    { claim: "no answer made an exporter drop what it has", breaches: evidence.refused },
    { claim: "everything came to rest", breaches: evidence.open },
    { claim: "0 acknowledged spans lost", breaches: missing(evidence.acknowledged, stored) },
    { claim: "0 spans doubled", breaches: repeated(stored) },
    { claim: "0 spans that nobody sent", breaches: stored.filter((id) => !evidence.sent.has(id)) },
    { claim: "every stored call is readable", breaches: missing(stored, calls) },
    { claim: "0 calls doubled", breaches: repeated(calls) },
    {
      claim: "0 background runs lost",
      breaches: [
        ...told
          .filter((id) => statusOf.get(id) !== "completed")
          .map((id) => `${id}: ${statusOf.get(id) ?? "not there"}`),
        ...runs
          .filter(({ status }) => status !== "completed")
          .map(({ id, status }) => `${id}: ${status}`)
          .filter((line) => !told.some((id) => line.startsWith(`${id}:`))),
        ...jobs.filter(({ state }) => state !== "completed").map((job) => `${job.functionId} ${job.id}: ${job.state}`),
      ],
    },
    {
      claim: "0 background runs doubled",
      breaches: [
        ...repeated(told).map((id) => `${id}: answered to two requests`),
        ...repeated(runs.map((run) => `${run.rule} of ${run.conversation} at ${run.activity}`)),
        ...repeated(jobs.map((job) => `${job.functionId} for event ${job.eventId}`)),
        ...repeated(executors.filter((id) => told.includes(id))).map((id) => `${id}: executed for two events`),
      ],
    },
    {
      claim: "every answered request happened once",
      breaches:
        evidence.audited < audits.least || evidence.audited > audits.most
          ? [`${evidence.audited} in the audit log, ${audits.least} to ${audits.most} expected`]
          : [],
    },
    {
      claim: "one cause is one Finding, shown once for each conversation",
      breaches: [
        ...(evidence.findings.length > 1 ? [`${evidence.findings.length} Findings of one cause`] : []),
        ...repeated(occurrences.map(({ findingId, session }) => `${findingId} in ${session}`)),
        ...missing(
          evidence.sessions,
          occurrences.map(({ session }) => session),
        ).map((session) => `${session}: no occurrence`),
      ],
    },
    { claim: "counters are what a recount gives", breaches: evidence.miscounted },
  ];
}
