import {
  IconAlertTriangle,
  IconBell,
  IconBinaryTree2,
  IconBooks,
  IconBulb,
  IconCalendarBolt,
  IconChartBar,
  IconChartHistogram,
  IconChartLine,
  IconChecklist,
  IconCircleCheck,
  IconCloudUpload,
  IconCoin,
  IconCpu,
  IconDatabase,
  IconDeviceFloppy,
  IconGitCompare,
  IconHistory,
  IconHistoryToggle,
  IconHome,
  IconKey,
  IconListCheck,
  IconMessage2Code,
  IconMessageBolt,
  IconMessages,
  IconPlugConnected,
  IconRocket,
  IconRoute,
  IconScale,
  IconSettings,
  IconStack2,
  IconTransferIn,
  IconUsers,
  IconVersions,
} from "@tabler/icons-react";
import type { Capability } from "@/server/platform/capabilities";

type Capable = { needs?: Capability };
/** A page of a project: `g` then `key` opens it, if it has one; `needs` is the capability required to see anything there. */
type Page = Capable & { path: string; label: string; key: string | null; icon: typeof IconMessages };
/** An entry of the navigation. One with `tabs` is a section of several pages, of which the first is its own. */
type Entry = Page & { tabs?: readonly (Page & { /** Its name among the tabs, if not the label. */ tab?: string })[] };
type Group = { title: string | null; pages: readonly Entry[] };

const DATASETS = { path: "datasets", label: "Datasets", key: "e", icon: IconBooks, needs: "workspace:read" } as const;
const TRAINING = {
  path: "training",
  label: "Training",
  key: "t",
  icon: IconChartLine,
  needs: "workspace:read",
} as const;
const EVALUATIONS = {
  path: "evaluations",
  label: "Before/after",
  key: "y",
  icon: IconGitCompare,
  needs: "workspace:read",
} as const;
const GATEWAY = { path: "gateway", label: "Gateway", key: null, icon: IconRoute, needs: "workspace:read" } as const;
const RULES = { path: "rules", label: "Rules", key: "l", icon: IconScale } as const;
const SETTINGS = { path: "settings", label: "Settings", key: ",", icon: IconSettings } as const;

/** The navigation, in order; the last group stays in view below the others. One line per page. */
export const GROUPS = [
  {
    title: null,
    pages: [{ path: "", label: "Home", key: "h", icon: IconHome }],
  },
  {
    title: "Watch",
    pages: [
      { path: "conversations", label: "Conversations", key: "c", icon: IconMessages },
      { path: "findings", label: "Findings", key: "f", icon: IconAlertTriangle },
      { path: "costs", label: "Costs", key: "o", icon: IconChartBar, needs: "model-pricing:read" },
      { path: "charts", label: "Charts", key: null, icon: IconChartHistogram },
      { path: "versions", label: "Versions", key: null, icon: IconVersions },
      { path: "alerts", label: "Alerts", key: null, icon: IconBell },
    ],
  },
  {
    title: "Improve",
    pages: [
      {
        ...DATASETS,
        tabs: [
          DATASETS,
          { path: "knowledge-goals", label: "Knowledge goals", key: "n", icon: IconBulb, needs: "workspace:read" },
        ],
      },
      { path: "review", label: "Review", key: "v", icon: IconChecklist, needs: "models:manage" },
      {
        ...TRAINING,
        tabs: [
          { ...TRAINING, tab: "Runs" },
          {
            path: "tuning-configs",
            label: "Tuning configurations",
            tab: "Configurations",
            key: "u",
            icon: IconCalendarBolt,
            needs: "workspace:read",
          },
          { path: "checkpoints", label: "Checkpoints", key: "w", icon: IconDeviceFloppy, needs: "workspace:read" },
          { path: "lineage", label: "Lineage", key: "q", icon: IconBinaryTree2, needs: "workspace:read" },
          { path: "trainers", label: "Trainers", key: "x", icon: IconCpu, needs: "workspace:read" },
        ],
      },
      {
        ...EVALUATIONS,
        tabs: [
          { ...EVALUATIONS, tab: "Comparisons" },
          { path: "variants", label: "Variants", key: null, icon: IconVersions, needs: "workspace:read" },
          { path: "fixes", label: "Fixes", key: null, icon: IconCircleCheck, needs: "diagnostics:read" },
        ],
      },
    ],
  },
  {
    title: "Serve",
    pages: [
      { path: "deployments", label: "Deployments", key: "d", icon: IconRocket, needs: "workspace:read" },
      { path: "prompts", label: "Prompts", key: null, icon: IconMessage2Code, needs: "workspace:read" },
      {
        ...GATEWAY,
        tabs: [
          { ...GATEWAY, tab: "Aliases" },
          {
            path: "gateway-budgets",
            label: "Gateway budgets",
            tab: "Budgets",
            key: null,
            icon: IconCoin,
            needs: "model-pricing:read",
          },
        ],
      },
      { path: "playground", label: "Playground", key: ".", icon: IconMessageBolt, needs: "models:manage" },
      { path: "exports", label: "Exports", key: "z", icon: IconCloudUpload, needs: "workspace:read" },
    ],
  },
  {
    title: "Set up",
    pages: [
      {
        ...RULES,
        tabs: [
          RULES,
          { path: "rule-runs", label: "Rule Runs", tab: "Runs", key: "r", icon: IconListCheck },
          { path: "backfills", label: "Backfills", key: null, icon: IconHistoryToggle },
        ],
      },
      { path: "send-a-trace", label: "Send a trace", key: "s", icon: IconTransferIn },
      {
        ...SETTINGS,
        tabs: [
          { ...SETTINGS, tab: "General" },
          { path: "members", label: "Members", key: "m", icon: IconUsers, needs: "project:admin" },
          { path: "api-keys", label: "API keys", key: "k", icon: IconKey, needs: "project:admin" },
          { path: "integrations", label: "Integrations", key: "i", icon: IconPlugConnected, needs: "workspace:read" },
          { path: "prices", label: "Prices", key: "p", icon: IconCoin, needs: "model-pricing:read" },
          { path: "data", label: "Data", key: "b", icon: IconDatabase, needs: "project:admin" },
          { path: "audit", label: "Audit log", key: "a", icon: IconHistory, needs: "project:admin" },
          { path: "jobs", label: "Jobs", key: "j", icon: IconStack2, needs: "workspace:read" },
        ],
      },
    ],
  },
] as const satisfies readonly Group[];

export type ListedPage = (typeof GROUPS)[number]["pages"][number];
export type ListedTab = Extract<ListedPage, { tabs: unknown }>["tabs"][number];
export type PagePath = ListedPage["path"] | ListedTab["path"];

export const pageHref = (projectId: string, path: PagePath) =>
  `/p/${encodeURIComponent(projectId)}${path === "" ? "" : `/${path}`}`;

/** Where a project opens. */
export const homeHref = (projectId: string) => pageHref(projectId, "");

/** Returns whether an address belongs to a page. Every other one is below Home's. */
export function isAtPage(address: string, projectId: string, path: PagePath) {
  const href = pageHref(projectId, path);
  return address === href || (path !== "" && address.startsWith(`${href}/`));
}
