import { receiptHref } from "../../data/_components/view";
import { priceHref } from "../../prices/_components/view";
import { pageHref } from "../shell/pages";

type Href = (page: (path: Parameters<typeof pageHref>[1]) => string, id: string) => string;

/** The pages of things by kind, as audit targets and jobs name the kinds; for some kinds, the list that contains them. */
const PAGES: Readonly<Record<string, Href>> = {
  conversation: (page, id) => `${page("conversations")}/${id}`,
  finding: (page, id) => `${page("findings")}/${id}`,
  rule: (page, id) => `${page("rules")}/${id}`,
  run: (page, id) => `${page("rule-runs")}?peek=${id}`,
  backfill: (page, id) => `${page("backfills")}?peek=${id}`,
  backgroundJob: (page, id) => `${page("jobs")}?peek=${id}`,
  dataset: (page, id) => `${page("datasets")}/${id}`,
  job: (page, id) => `${page("training")}/${id}`,
  evaluation: (page, id) => `${page("evaluations")}/${id}`,
  checkpoint: (page, id) => `${page("checkpoints")}/${id}`,
  deployment: (page, id) => `${page("deployments")}/${id}`,
  export: (page) => page("exports"),
  tuningConfig: (page) => page("tuning-configs"),
  gatewayAlias: (page) => page("gateway"),
  gatewayBudget: (page) => page("gateway-budgets"),
  gatewayExperiment: (page) => page("gateway"),
  knowledgeGoal: (page) => page("knowledge-goals"),
  prompt: (page) => page("prompts"),
  trainer: (page) => page("trainers"),
  user: (page) => page("members"),
  invitation: (page) => page("members"),
  key: (page) => page("api-keys"),
  connection: (page) => page("integrations"),
  alert: (page, id) => `${page("alerts")}?peek=${id}`,
  notificationRule: (page) => page("integrations"),
  handoffRule: (page) => page("integrations"),
};

/** Returns the page of a thing of the project, if its kind has one. */
export function thingHref(projectId: string, { type, id }: { type: string; id: string }): string | null {
  if (type === "deletion") return receiptHref(projectId, id);
  if (type === "modelPrice") return priceHref(projectId, id);
  if (!Object.hasOwn(PAGES, type)) return null;
  return PAGES[type]!((path) => pageHref(projectId, path), encodeURIComponent(id));
}
