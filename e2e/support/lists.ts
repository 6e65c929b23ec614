/** Every list of the workbench and what it supports; `lists.spec.ts` checks each, and that none is missing. */
export type List = {
  /** Its accessible name: the `name` of its `DataList`. */
  name: string;
  path: string;
  /** The fewest rows with the test's data; 0 for a list that only another test can fill. */
  rows: number;
  /** The label of the open row next to the list. */
  peek?: string;
  /** Space and Enter on a row open a dialog. */
  dialog?: true;
  /** Rows can be selected. */
  selects?: true;
  /** A sortable column, whose cells differ. */
  sorts?: string;
  /** Other tests add rows to it meanwhile. */
  grows?: true;
  /** A column that can be hidden. */
  hides?: string;
  /** The accessible name of a control in a row. */
  control?: RegExp;
  /** Not the first list of its page: its keys work while the focus is in it. */
  second?: true;
  /** A path without rows, and what it shows. */
  empty?: [path: string, says: string | RegExp];
};

/** `{finding}` and `{dataset}` stand for ids. */
export const LISTS: List[] = [
  {
    name: "Conversations",
    path: "conversations",
    rows: 4,
    peek: "Conversation",
    selects: true,
    sorts: "Active",
    hides: "Tokens",
    empty: ["conversations?q=nothingsaysthis", "No conversation matches"],
  },
  {
    name: "Findings",
    path: "findings?tab=all",
    rows: 2,
    peek: "Finding",
    selects: true,
    hides: "Users",
    empty: ["findings?rule=nothing", /No Finding/],
  },
  { name: "Occurrences", path: "findings/{finding}", rows: 1 },
  { name: "Alerts", path: "alerts", rows: 2, peek: "Alert" },
  {
    name: "Rule Runs",
    // Not folded.
    path: "rule-runs?status=completed",
    rows: 4,
    peek: "Rule Run",
    sorts: "Requested",
    hides: "Origin",
    empty: ["rule-runs?conversation=nothing", "No Rule Run matches"],
  },
  { name: "Rules", path: "rules", rows: 4, hides: "Confidence" },
  { name: "Signals", path: "rules/tool-failure", rows: 5, sorts: "Signal" },
  {
    name: "Backfills",
    path: "backfills",
    rows: 2,
    peek: "Backfill",
    selects: true,
    hides: "Progress",
    empty: ["backfills?rule=nothing", "No backfill matches"],
  },
  {
    name: "Collection passes",
    path: "datasets/{dataset}?tab=settings",
    rows: 0,
    empty: ["datasets/{dataset}?tab=settings", "Nothing was collected yet."],
  },
  { name: "Datasets", path: "datasets", rows: 2, sorts: "Dataset", hides: "Objective" },
  {
    name: "Examples",
    path: "datasets/{dataset}",
    rows: 3,
    peek: "Example",
    selects: true,
    hides: "Split",
    empty: ["datasets/{dataset}?q=nothingsaysthis", "No Example matches"],
  },
  { name: "Versions", path: "datasets/{dataset}?tab=versions", rows: 2, sorts: "Version", selects: true },
  { name: "Variants", path: "variants", rows: 2, hides: "Model" },
  { name: "Fixes", path: "fixes", rows: 2, hides: "Verdict" },
  {
    name: "Knowledge goals",
    path: "knowledge-goals",
    rows: 2,
    peek: "Knowledge goal",
    sorts: "Title",
    hides: "Key phrases",
  },
  // The installation shared by tests has no trainer; training.spec.ts fills these in its own installation.
  { name: "Training runs", path: "training", rows: 0, empty: ["training", "Attach a trainer"] },
  {
    name: "Checkpoints of the run",
    path: "training/job_nothing?tab=checkpoints",
    rows: 0,
    empty: ["training/job_nothing?tab=checkpoints", "Run not found"],
  },
  { name: "Checkpoints", path: "checkpoints", rows: 0, empty: ["checkpoints", "Attach a trainer"] },
  { name: "Deployments", path: "deployments", rows: 0, empty: ["deployments", "Attach a trainer"] },
  {
    name: "Versions of the deployment",
    path: "deployments/dep_nothing",
    rows: 0,
    empty: ["deployments/dep_nothing", "Deployment not found"],
  },
  {
    name: "Prompts",
    path: "prompts",
    rows: 2,
    sorts: "Prompt",
    hides: "Labels",
    empty: ["prompts?q=nothingsaysthis", "No prompt matches"],
  },
  { name: "Versions of the prompt", path: "prompts/refund", rows: 2, peek: "Version of the prompt" },
  { name: "Moved labels", path: "prompts/refund?tab=labels", rows: 1 },
  { name: "Aliases", path: "gateway", rows: 2, peek: "Alias", sorts: "Alias", hides: "Models, in order" },
  {
    name: "Gateway budgets",
    path: "gateway-budgets",
    rows: 2,
    peek: "Budget",
    sorts: "Budget of",
    hides: "A day",
  },
  { name: "Exports", path: "exports", rows: 0, empty: ["exports", "Attach a trainer"] },
  { name: "Comparisons", path: "evaluations", rows: 0, empty: ["evaluations", "Nothing compared yet"] },
  { name: "Base models", path: "lineage", rows: 0, empty: ["lineage", "Attach a trainer"] },
  { name: "Tuning configurations", path: "tuning-configs", rows: 0, empty: ["tuning-configs", "Attach a trainer"] },
  {
    name: "Jobs",
    path: "jobs?state=failed",
    rows: 2,
    peek: "Job",
    selects: true,
    sorts: "Queued",
    hides: "Duration",
    control: /^Replay/,
    empty: ["jobs?state=waiting", "No job matches"],
  },
  {
    name: "Costs",
    path: "costs",
    rows: 2,
    sorts: "Cost",
    empty: ["costs?range=custom&from=0&to=86400000", "No model calls in this period"],
  },
  // Opened as if on a day without calls.
  { name: "Costs by day", path: "costs?days-peek=0", rows: 1, second: true },
  {
    name: "Prices",
    path: "prices",
    rows: 20,
    peek: "Price",
    sorts: "Model",
    hides: "Tiers",
    empty: ["prices?q=nothing+of+the+kind", "No price matches"],
  },
  {
    name: "What the update changes",
    path: "prices/catalogue",
    rows: 0,
    // An update loaded by another test applies to the whole installation.
    empty: ["prices/catalogue", /No update is pending|Update of 2099-01-01 pending/],
  },
  { name: "Repricings", path: "prices/repricings", rows: 1 },
  { name: "API keys", path: "api-keys", rows: 3, sorts: "Created", hides: "Expires", control: /^Revoke/ },
  { name: "Connections", path: "integrations", rows: 2, sorts: "Name", hides: "Secret", control: /^Test/ },
  {
    name: "Notifications",
    path: "integrations/notifications",
    rows: 0,
    empty: ["integrations/notifications", "No notifications"],
  },
  {
    name: "Deliveries",
    path: "integrations/deliveries",
    rows: 0,
    empty: ["integrations/deliveries", "Nothing sent yet"],
  },
  {
    name: "Handoff rules",
    path: "integrations/handoff-rules",
    rows: 0,
    empty: ["integrations/handoff-rules", "No handoff rules"],
  },
  {
    name: "Tracker deliveries",
    path: "integrations/tracker-deliveries",
    rows: 0,
    empty: ["integrations/tracker-deliveries", "No delivery yet"],
  },
  { name: "Members", path: "members", rows: 1, sorts: "Person", hides: "Joined", control: /^(Role of|Actions for)/ },
  { name: "Open invitations", path: "members", rows: 2, second: true, sorts: "For", control: /^Revoke/ },
  { name: "Active share links", path: "settings", rows: 2, sorts: "Expires", control: /^Revoke/ },
  {
    name: "Audit log",
    path: "audit",
    rows: 4,
    peek: "Change",
    sorts: "When",
    hides: "Via",
    control: /./,
    empty: ["audit?target=nothing", "No changes match"],
  },
  { name: "Deletions", path: "data", rows: 2, dialog: true, control: /^Receipt/ },
  { name: "Backups", path: "data", rows: 0, empty: ["data", /No known backups/] },
  { name: "Signed-in browsers", path: "account", rows: 1, second: true, sorts: "Browser" },
  { name: "Activity", path: "account", rows: 1 },
  { name: "People", path: "people", rows: 1, sorts: "Person", grows: true, control: /^Actions for/ },
];
