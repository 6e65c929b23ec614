import { randomUUID } from "node:crypto";

export type JiraStatus = { id: string; name: string; statusCategory: { key: string } };
type TransitionField = {
  name: string;
  required: boolean;
  hasDefaultValue: boolean;
  allowedValues?: { id: string; name: string }[];
};
export type JiraTransition = { id: string; name: string; to: JiraStatus; fields: Record<string, TransitionField> };
type Property = { key: string; value: unknown };
export type JiraComment = { id: string; body: string; properties: Property[] };
export type JiraIssueRow = {
  id: string;
  key: string;
  project: JiraProject;
  summary: string;
  description: string;
  labels: string[];
  status: JiraStatus;
  created: number;
  updated: number;
  properties: Property[];
  comments: JiraComment[];
  /** What was sent in fields that the project has beyond the usual ones. */
  others: Record<string, unknown>;
  links: { id: number; object: { url: string; title: string; status?: { resolved: boolean } }; created: number }[];
};
/** `FieldCreateMetadata` of Jira's API description. */
export type CreateField = {
  fieldId: string;
  key: string;
  name: string;
  required: boolean;
  hasDefaultValue: boolean;
  operations: string[];
  schema: { type: string; items?: string; system?: string; custom?: string; customId?: number };
  allowedValues?: { id: string; value?: string; name?: string }[];
};
export type JiraProject = {
  key: string;
  issueTypes: { id: string; name: string; subtask: boolean }[];
  createFields: CreateField[];
  denied: string[];
  transitionsFrom: (status: JiraStatus) => JiraTransition[];
};

const status = (id: string, name: string, key: string): JiraStatus => ({ id, name, statusCategory: { key } });
export const STATUSES = [
  status("1", "To Do", "new"),
  status("2", "In Progress", "indeterminate"),
  status("3", "In Review", "indeterminate"),
  status("4", "Done", "done"),
  status("5", "Won't Do", "done"),
];
const [toDo, inProgress, inReview, done, wontDo] = STATUSES as [
  JiraStatus,
  JiraStatus,
  JiraStatus,
  JiraStatus,
  JiraStatus,
];

const RESOLUTION: Record<string, TransitionField> = {
  resolution: {
    name: "Resolution",
    required: true,
    hasDefaultValue: false,
    allowedValues: [
      { id: "10001", name: "Won't Do" },
      { id: "10000", name: "Done" },
    ],
  },
};
const REASON: Record<string, TransitionField> = {
  customfield_10077: { name: "Reason", required: true, hasDefaultValue: false },
};
const transition = (id: string, to: JiraStatus, fields = {}): JiraTransition => ({
  id,
  name: `Move to ${to.name}`,
  to,
  fields,
});
/** Every state leads to every other. */
const SIMPLE = [
  transition("11", inProgress),
  transition("21", toDo),
  transition("31", inReview),
  transition("41", done, RESOLUTION),
  transition("51", wontDo, REASON),
];
/** One step at a time. */
const STEPS: Record<string, JiraTransition[]> = {
  "1": [transition("11", inProgress)],
  "2": [transition("41", done)],
  "4": [transition("51", wontDo, REASON)],
};

type Schema = CreateField["schema"];
type Extra = Partial<Pick<CreateField, "required" | "hasDefaultValue" | "allowedValues">>;
const field = (fieldId: string, name: string, schema: Schema, extra: Extra = {}): CreateField => ({
  ...{ fieldId, key: fieldId, name, required: false, hasDefaultValue: false, operations: ["set"], schema },
  ...extra,
});
const system = (fieldId: string, name: string, type: string, extra: Extra = {}) =>
  field(fieldId, name, { type, system: fieldId }, extra);
const custom = (customId: number, name: string, kind: string, schema: Schema, extra: Extra = {}) =>
  field(
    `customfield_${customId}`,
    name,
    { ...schema, custom: `com.atlassian.jira.plugin.system.customfieldtypes:${kind}`, customId },
    extra,
  );
const options = (...values: string[]) => values.map((value, index) => ({ id: String(10_200 + index), value }));
const required = { required: true };
const FIELDS = [
  system("project", "Project", "project", required),
  system("issuetype", "Issue Type", "issuetype", required),
  system("summary", "Summary", "string", required),
  system("reporter", "Reporter", "user", { required: true, hasDefaultValue: true }),
  system("description", "Description", "string"),
];
const LABELS = field("labels", "Labels", { type: "array", items: "string", system: "labels" });
const SEVERITY = custom(
  10_042,
  "Severity",
  "select",
  { type: "option" },
  { ...required, allowedValues: options("High", "Low") },
);
/** One field of each type, all of them required but the last ones. */
const ASKED = [
  SEVERITY,
  custom(10_043, "Root cause", "textarea", { type: "string" }, required),
  custom(10_044, "Cost", "float", { type: "number" }, required),
  custom(
    10_045,
    "Regions",
    "multiselect",
    { type: "array", items: "option" },
    { ...required, allowedValues: options("EU", "US", "Asia") },
  ),
  custom(10_046, "Teams", "labels", { type: "array", items: "string" }, required),
  custom(10_047, "Owner", "userpicker", { type: "user" }, required),
  field(
    "components",
    "Components",
    { type: "array", items: "component", system: "components" },
    { allowedValues: [{ id: "10300", name: "Search" }] },
  ),
  field("attachment", "Attachment", { type: "array", items: "attachment", system: "attachment" }),
];
const PLACE = custom(
  10_050,
  "Place",
  "cascadingselect",
  { type: "option-with-child" },
  { ...required, allowedValues: options("Europe") },
);
const TYPES = [
  { id: "10100", name: "Sub-task", subtask: true },
  { id: "10101", name: "Task", subtask: false },
  { id: "10102", name: "Bug", subtask: false },
];
const simple = { issueTypes: TYPES, createFields: [...FIELDS, LABELS], denied: [], transitionsFrom: () => SIMPLE };

/** An ordinary project, and projects whose workflow, screens or permissions cause problems. */
export const PROJECTS: JiraProject[] = [
  { key: "PROJ", ...simple },
  { key: "STEP", ...simple, transitionsFrom: ({ id }) => STEPS[id] ?? [] },
  { key: "FORM", ...simple, createFields: [...FIELDS, SEVERITY] },
  { key: "ASKS", ...simple, createFields: [...FIELDS, LABELS, ...ASKED] },
  { key: "DEEP", ...simple, createFields: [...FIELDS, SEVERITY, PLACE] },
  { key: "BARE", ...simple, createFields: FIELDS },
  { key: "LOCK", ...simple, issueTypes: [], denied: ["CREATE_ISSUES", "ADD_COMMENTS"] },
];

/** For tests: the tickets of a Jira site. */
export function jiraSite() {
  const issues: JiraIssueRow[] = [];
  let lastId = 10_000;
  return {
    issues,
    nextId: () => String(++lastId),
    issueOf: (id: string) => issues.find((one) => one.id === id || one.key === id),
    add(
      project: JiraProject,
      given: Pick<JiraIssueRow, "summary" | "description" | "labels" | "others" | "properties">,
    ): JiraIssueRow {
      const number = issues.filter((one) => one.project === project).length + 1;
      const now = Date.now();
      const row = {
        ...{ id: String(++lastId), key: `${project.key}-${number}`, project, status: toDo, created: now, updated: now },
        ...given,
        ...{ comments: [], links: [] },
      };
      issues.push(row);
      return row;
    },
    remove: (row: JiraIssueRow) => void issues.splice(issues.indexOf(row), 1),
    users: [
      { accountId: "5b10a2844c20165700ede21g", name: "ada", displayName: "Ada Lovelace" },
      { accountId: "5b109f2e9729b51b54dc274d", name: "grace", displayName: "Grace Hopper" },
    ],
    me: { accountId: randomUUID(), key: "JIRAUSER10100", name: "whetstone" },
  };
}
export type JiraSite = ReturnType<typeof jiraSite>;

/** Formats a time as Jira does. */
export const jiraTime = (time: number) => new Date(time).toISOString().replace("Z", "+0000");
