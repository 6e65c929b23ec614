import type { QueryClient } from "@tanstack/react-query";
import type { useTRPC } from "@/app/_lib/trpc/client";
import { type PagePath, pageHref } from "../../shell/pages";

/** What a stop reads to find its page. */
type Reading = { projectId: string; trpc: ReturnType<typeof useTRPC>; queries: QueryClient };

/**
 * `says`: at most 25 words. `target`: a CSS selector of what it is about: small, so
 * that the words fit beside it, and another than its neighbours'.
 */
type Stop = {
  title: string;
  says: string;
  target: string;
  /** Returns the path of its page: a list's if somebody has deleted what it is about. */
  pathOf: (reading: Reading) => Promise<string>;
};

/** A thing's page, below its list's. */
const pathIn = (projectId: string, list: PagePath, thing: { id: string } | undefined) =>
  `${pageHref(projectId, list)}${thing ? `/${encodeURIComponent(thing.id)}` : ""}`;

/** The Signal of the failure that a release brings back. */
const REGRESSED = "repeated_tool_call";

async function regressedFinding({ projectId, trpc, queries }: Reading) {
  const { findings } = await queries.fetchQuery(
    trpc.findings.list.queryOptions({ projectId, signal: REGRESSED, limit: 1 }),
  );
  return findings[0];
}

/** The proof of a trained model that came to this verdict. */
async function proofPath({ projectId, trpc, queries }: Reading, verdict: "proven" | "not_proven") {
  const { evaluations } = await queries.fetchQuery(trpc.evaluations.list.queryOptions({ projectId }));
  const found = evaluations.find((one) => one.findingId !== null && one.verdict === verdict);
  return pathIn(projectId, "evaluations", found);
}

/** The loop on the sample's own objects, in order. */
export const STOPS: readonly Stop[] = [
  {
    title: "What needs you",
    says: "Failures are grouped by cause into Findings. The first one was fixed once: release 2.5.0 brought it back.",
    target: "#needs-you",
    pathOf: async ({ projectId }) => pageHref(projectId, ""),
  },
  {
    title: "One failure, by day",
    says: "Its share of the conversations with a 95% interval, and each release. Further down: what affected conversations have in common.",
    target: "#rate-by-day",
    pathOf: async (reading) => pathIn(reading.projectId, "findings", await regressedFinding(reading)),
  },
  {
    title: "The turn at fault",
    says: "One of its conversations, with the evidence marked. “Cost” prices every model call, “Spans” shows everything that was sent.",
    target: '[aria-label="Findings and facts"] > section',
    pathOf: async (reading) => {
      const { projectId, trpc, queries } = reading;
      const finding = await regressedFinding(reading);
      const { occurrences } = finding
        ? await queries.fetchQuery(
            trpc.findings.occurrences.queryOptions({ projectId, findingId: finding.id, limit: 1 }),
          )
        : { occurrences: [] };
      return pathIn(projectId, "conversations", occurrences[0] && { id: occurrences[0].conversationId });
    },
  },
  {
    title: "Conversations become Examples",
    says: "German questions, with the German answers that they should have had. Some train a model, the others are kept to test it.",
    target: '[aria-label="Parts of the Dataset"]',
    pathOf: async ({ projectId, trpc, queries }) => {
      const { datasets } = await queries.fetchQuery(trpc.datasets.list.queryOptions({ projectId, limit: 1 }));
      return pathIn(projectId, "datasets", datasets[0]);
    },
  },
  {
    title: "A model is trained on them",
    says: "A recorded run of a tiny model: its loss, its answers on the way, its checkpoints, and every setting.",
    target: '[aria-label="Parts of the run"]',
    pathOf: async ({ projectId, trpc, queries }) => {
      const { jobs } = await queries.fetchQuery(trpc.trainingJobs.list.queryOptions({ projectId, limit: 1 }));
      return pathIn(projectId, "training", jobs[0]);
    },
  },
  {
    title: "Before and after",
    says: "Both models answered questions that training never saw. Each pair of answers is here to read, and to overrule.",
    target: '[aria-label="Rows"] h2',
    pathOf: (reading) => proofPath(reading, "proven"),
  },
  {
    title: "“Not proven” is a result too",
    says: "An earlier checkpoint of the same run: the failure is rarer, but too few of its answers are right.",
    target: '[aria-label="Result"] h2',
    pathOf: (reading) => proofPath(reading, "not_proven"),
  },
];
