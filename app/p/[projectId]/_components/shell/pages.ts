import {
  IconAlertTriangle,
  IconChartBar,
  IconCoin,
  IconDatabase,
  IconHistory,
  IconKey,
  IconListCheck,
  IconMessages,
  IconPlugConnected,
  IconSettings,
  IconStack2,
  IconTransferIn,
  IconUsers,
} from "@tabler/icons-react";

/** The pages of a project: `g` then `key` opens one; `needs` is the capability required to see anything there. */
export const PAGES = [
  { path: "conversations", label: "Conversations", key: "c", icon: IconMessages },
  { path: "findings", label: "Findings", key: "f", icon: IconAlertTriangle },
  { path: "rule-runs", label: "Rule Runs", key: "r", icon: IconListCheck },
  { path: "jobs", label: "Jobs", key: "j", icon: IconStack2, needs: "workspace:read" },
  { path: "costs", label: "Costs", key: "o", icon: IconChartBar, needs: "model-pricing:read" },
  { path: "prices", label: "Prices", key: "p", icon: IconCoin, needs: "model-pricing:read" },
  { path: "api-keys", label: "API keys", key: "k", icon: IconKey, needs: "project:admin" },
  { path: "send-a-trace", label: "Send a trace", key: "s", icon: IconTransferIn },
  { path: "integrations", label: "Integrations", key: "i", icon: IconPlugConnected, needs: "workspace:read" },
  { path: "members", label: "Members", key: "m", icon: IconUsers, needs: "project:admin" },
  { path: "audit", label: "Audit log", key: "a", icon: IconHistory, needs: "project:admin" },
  { path: "data", label: "Data", key: "b", icon: IconDatabase, needs: "project:admin" },
  { path: "settings", label: "Settings", key: ",", icon: IconSettings },
] as const;
export type PagePath = (typeof PAGES)[number]["path"];

export const pageHref = (projectId: string, path: PagePath) => `/p/${encodeURIComponent(projectId)}/${path}`;
