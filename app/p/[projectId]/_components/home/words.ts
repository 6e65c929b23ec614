import { formatCount, plural } from "@/app/_lib/format";
import type { HomeReply, HomeStep, HomeStepName } from "@/server/services/home/schemas";
import { eventHref } from "../../findings/_components/view";
import { type PagePath, pageHref } from "../shell/pages";

export type HomeData = HomeReply;
type Limited = { count: number; more: boolean };

/** `12`, or `1,000+` where counting stopped. */
export const limitedCount = ({ count, more }: Limited) => `${formatCount(count)}${more ? "+" : ""}`;

/** One thing that waits, with the page that lists it. */
export type Waiting = { key: string; words: string; href: string };

const several = ({ count, more }: Limited, one: string, many?: string) =>
  more ? `${formatCount(count)}+ ${many ?? `${one}s`}` : plural(count, one, many);

/** Returns what waits besides single Findings, most pressing first, without what there is none of. */
export function waitingIn(projectId: string, home: HomeData): Waiting[] {
  const { review, regressed, escalating } = home.findings;
  const findings = pageHref(projectId, "findings");
  const lines: [string, Limited | null | undefined, (found: Limited) => string, string][] = [
    ["regressed", regressed, (n) => `${several(n, "Finding")} regressed`, `${findings}?tab=regressed`],
    [
      "escalating",
      escalating,
      (n) => `${several(n, "Finding")} ${n.count === 1 && !n.more ? "escalates" : "escalate"}`,
      `${findings}?tab=escalating`,
    ],
    ["review", review, (n) => `${several(n, "Finding")} to review`, findings],
    [
      "candidates",
      home.work && { count: home.work.candidates, more: false },
      (n) => `${several(n, "candidate")} to review`,
      pageHref(projectId, "review"),
    ],
    [
      "unpriced",
      home.costs && { count: home.costs.unpricedModels, more: false },
      (n) => `${several(n, "model")} without a price`,
      pageHref(projectId, "prices"),
    ],
    [
      "jobs",
      home.work?.failedJobs,
      (n) => `${several(n, "job")} failed`,
      `${pageHref(projectId, "jobs")}?state=failed`,
    ],
    [
      "runs",
      home.failedRuns,
      (n) => `${several(n, "Rule Run")} failed`,
      `${pageHref(projectId, "rule-runs")}?status=failed`,
    ],
  ];
  return lines.flatMap(([key, found, words, href]) =>
    found && found.count > 0 ? [{ key, words: words(found), href }] : [],
  );
}

const EVENTS = {
  created: "new",
  returned: "back from dismissal",
  regressed: "regressed",
  escalating: "escalating",
} as const;
export const eventWords = (event: keyof typeof EVENTS) => EVENTS[event];

/** Returns the counts of Findings with each event since the last visit, with the lists of them. */
export const changesIn = (projectId: string, { findings, since }: HomeData): Waiting[] =>
  findings.since
    .filter(({ count }) => count > 0)
    .map(({ event, ...found }) => ({
      key: event,
      words: `${limitedCount(found)} ${EVENTS[event]}`,
      href: eventHref(projectId, event, since.at),
    }));

type StepWords = { title: string; path: PagePath; what: string; toDo: string };

/** The steps of the loop: what each is for, and what to do next in it. */
export const STEPS: Record<HomeStepName, StepWords> = {
  send: {
    title: "Send",
    path: "send-a-trace",
    what: "Point an OpenTelemetry exporter here: each conversation appears with its costs.",
    toDo: "Send a trace",
  },
  diagnose: {
    title: "Diagnose",
    path: "rules",
    what: "Rules read every conversation once it is inactive, by themselves.",
    toDo: "See the Rules",
  },
  review: {
    title: "Review",
    path: "findings",
    what: "Say which Findings are real, and hand them off or train against them.",
    toDo: "See the Findings",
  },
  collect: {
    title: "Collect",
    path: "datasets",
    what: "Collect Examples from conversations that went well, or were corrected.",
    toDo: "Create a Dataset",
  },
  train: {
    title: "Train",
    path: "training",
    what: "Fine-tune a model on a Dataset, on a trainer of your own.",
    toDo: "Train a model",
  },
  prove: {
    title: "Prove",
    path: "evaluations",
    what: "Compare another prompt, model or checkpoint with what runs today, on what it has not seen.",
    toDo: "Compare before and after",
  },
};

/** The words and page of a step's next action, by where the project stands. */
export function nextOf(projectId: string, { name, state, count }: HomeStep): { words: string; href: string } {
  const { path, toDo } = STEPS[name];
  const at = (page: PagePath) => pageHref(projectId, page);
  if (state === "missing") return { words: "Attach a trainer", href: at("trainers") };
  if (state === "waiting" && name === "collect") {
    return { words: `Review ${plural(count ?? 0, "candidate")}`, href: at("review") };
  }
  if (state === "waiting") return { words: `Review ${plural(count ?? 0, "Finding")}`, href: at(path) };
  if (state === "running") return { words: `${formatCount(count)} in progress`, href: at(path) };
  return { words: toDo, href: at(path) };
}

/** One word for where a step stands. */
export const STEP_STATES = {
  waiting: "Waits for you",
  running: "In progress",
  missing: "No trainer",
  to_do: "Not started",
  done: "Done",
} as const;
