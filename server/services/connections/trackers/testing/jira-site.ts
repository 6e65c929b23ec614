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
  links: { id: number; object: { url: string; title: string; status?: { resolved: boolean } }; created: number }[];
};
export type CreateField = { fieldId: string; name: string; required: boolean; hasDefaultValue: boolean };
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

const field = (fieldId: string, name: string, required = false, hasDefaultValue = false): CreateField => ({
  ...{ fieldId, name, required, hasDefaultValue },
});
const FIELDS = [
  field("project", "Project", true),
  field("issuetype", "Issue Type", true),
  field("summary", "Summary", true),
  field("reporter", "Reporter", true, true),
  field("description", "Description"),
];
const LABELS = field("labels", "Labels");
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
  { key: "FORM", ...simple, createFields: [...FIELDS, field("customfield_10042", "Severity", true)] },
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
      given: Pick<JiraIssueRow, "summary" | "description" | "labels" | "properties">,
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
    me: { accountId: randomUUID(), key: "JIRAUSER10100", name: "whetstone" },
  };
}
export type JiraSite = ReturnType<typeof jiraSite>;

/** Formats a time as Jira does. */
export const jiraTime = (time: number) => new Date(time).toISOString().replace("Z", "+0000");
