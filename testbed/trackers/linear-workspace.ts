import { randomUUID } from "node:crypto";
import { GraphQLError } from "graphql";
import { validate, version } from "uuid";

type State = { id: string; name: string; type: string; position: number };
type Team = {
  id: string;
  key: string;
  name: string;
  defaultIssueState: State;
  workflow: State[];
  states: () => Page<State>;
};
type Label = { id: string; name: string; isGroup: boolean; team: Team | null };
type Attachment = { id: string; url: string; title: string; sourceType: string; metadata: object; createdAt: string };
export type LinearIssueRow = {
  id: string;
  identifier: string;
  title: string;
  description: string;
  url: string;
  createdAt: string;
  updatedAt: string;
  trashed: boolean | null;
  state: State;
  team: Team;
  labels: Label[];
  comments: Map<string, string>;
  links: Attachment[];
  attachments: () => Page<Attachment>;
};
type Page<Node> = { nodes: Node[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } };

const WORKFLOW: readonly [string, string][] = [
  ["Backlog", "backlog"],
  ["Todo", "unstarted"],
  ["In Progress", "started"],
  ["In Review", "started"],
  ["Released", "completed"],
  ["Done", "completed"],
  ["Canceled", "canceled"],
];

const whole = <Node>(nodes: Node[]): Page<Node> => ({ nodes, pageInfo: { hasNextPage: false, endCursor: null } });
const invalid = (message: string, words: string) =>
  new GraphQLError(message, {
    extensions: {
      type: "invalid input",
      code: "INPUT_ERROR",
      statusCode: 400,
      userError: true,
      userPresentableMessage: words,
    },
  });
const notFound = (entity: string) => invalid(`Entity not found: ${entity}`, `Could not find referenced ${entity}.`);
const conflict = (entity: string, id: string) =>
  invalid(`conflict on insert of ${entity}`, `Entity ${entity} with id ${id} already exists.`);

const COMPARE: Record<string, (value: unknown, other: never) => boolean> = {
  eq: (value, other) => value === other,
  eqIgnoreCase: (value, other) => String(value).toLowerCase() === String(other).toLowerCase(),
  in: (value, other: unknown[]) => other.includes(value),
  gt: (value, other) => Date.parse(String(value)) > Date.parse(other),
  gte: (value, other) => Date.parse(String(value)) >= Date.parse(other),
  null: (value, other) => (value === null) === other,
};

/** Returns whether an entity matches one of Linear's filters. */
function passes(entity: unknown, filter: Record<string, unknown> = {}): boolean {
  return Object.entries(filter).every(([name, value]) => {
    if (name === "and") return (value as object[]).every((one) => passes(entity, { ...one }));
    if (name === "or") return (value as object[]).some((one) => passes(entity, { ...one }));
    const compare = COMPARE[name];
    if (compare) return compare(entity, value as never);
    if (entity === null) return false;
    return passes((entity as Record<string, unknown>)[name], { ...(value as object) });
  });
}

type IssueInput = { id?: string; teamId: string; title: string; description?: string; labelIds?: string[] };
type Options = { url: () => string; lagMs: () => number; pageMax: number; mayCreateLabels: boolean };

/** For tests: a Linear workspace with the teams ENG and OPS; the root of its GraphQL schema. */
export function linearWorkspace({ url, lagMs, pageMax, mayCreateLabels }: Options) {
  const teams = ["ENG", "OPS"].map((key): Team => {
    const workflow = WORKFLOW.map(([name, type], position) => ({ id: randomUUID(), name, type, position }));
    return {
      id: randomUUID(),
      key,
      name: key,
      workflow,
      defaultIssueState: workflow[0]!,
      states: () => whole(workflow),
    };
  });
  const labels: Label[] = [
    { id: randomUUID(), name: "Bug", isGroup: false, team: null },
    { id: randomUUID(), name: "Area", isGroup: true, team: null },
    { id: randomUUID(), name: "quality", isGroup: false, team: teams[1]! },
  ];
  const issues: LinearIssueRow[] = [];

  const issueOf = (id: string) => {
    const found = issues.find((one) => one.id === id || one.identifier === id);
    if (!found) throw notFound("Issue");
    return found;
  };
  const moved = (row: LinearIssueRow, changes: Partial<LinearIssueRow>) =>
    Object.assign(row, changes, { updatedAt: new Date().toISOString() });
  const checkedId = (id: string = randomUUID()) => {
    if (!validate(id) || version(id) !== 4) throw invalid("Argument Validation Error", "id must be a UUID v4.");
    return id;
  };

  const root = {
    viewer: { id: randomUUID(), name: "Whetstone" },
    teams: ({ filter }: { filter?: object }) => whole(teams.filter((one) => passes(one, { ...filter }))),
    issue: ({ id }: { id: string }) => issueOf(id),
    issueLabels: ({ filter }: { filter?: object }) => whole(labels.filter((one) => passes(one, { ...filter }))),
    issues: ({ filter, first = 50, after }: { filter?: object; first?: number; after?: string | null }) => {
      if (first > 250) throw invalid("Argument Validation Error", "first must not be greater than 250.");
      const indexed = Date.now() - lagMs();
      const all = issues
        .filter((one) => Date.parse(one.createdAt) <= indexed && passes(one, { ...filter }))
        .toSorted((one, other) => Date.parse(other.updatedAt) - Date.parse(one.updatedAt));
      const from = after ? all.findIndex(({ id }) => id === after) + 1 : 0;
      const nodes = all.slice(from, from + Math.min(first, pageMax));
      const hasNextPage = from + nodes.length < all.length;
      return { nodes, pageInfo: { hasNextPage, endCursor: nodes.at(-1)?.id ?? null } };
    },
    issueCreate: ({ input }: { input: IssueInput }) => {
      const { teamId, title, description = "", labelIds = [] } = input;
      const id = checkedId(input.id);
      const team = teams.find((one) => one.id === teamId);
      if (!team) throw notFound("Team");
      if (issues.some((one) => one.id === id)) throw conflict("Issue", id);
      const chosen = labelIds.map((labelId) => labels.find((one) => one.id === labelId && !one.isGroup));
      if (chosen.includes(undefined))
        throw notFound("IssueLabel: labelIds contained an entry that could not be found.");
      const identifier = `${team.key}-${issues.filter((one) => one.team === team).length + 1}`;
      const now = new Date().toISOString();
      const links: Attachment[] = [];
      const row: LinearIssueRow = {
        ...{ id, identifier, title, description, url: `${url()}/acme/issue/${identifier}`, trashed: null, team },
        ...{ createdAt: now, updatedAt: now, state: team.defaultIssueState, labels: chosen as Label[] },
        ...{ comments: new Map(), links, attachments: () => whole(links) },
      };
      issues.push(row);
      return { success: true, issue: row };
    },
    issueUpdate: ({ id, input }: { id: string; input: { stateId: string } }) => {
      const row = issueOf(id);
      const state = row.team.workflow.find((one) => one.id === input.stateId);
      if (!state) throw notFound("WorkflowState");
      return { success: true, issue: moved(row, { state }) };
    },
    issueLabelCreate: ({ input }: { input: { name: string; teamId: string } }) => {
      if (!mayCreateLabels)
        throw new GraphQLError("Forbidden", { extensions: { type: "forbidden", code: "FORBIDDEN", statusCode: 403 } });
      const team = teams.find(({ id }) => id === input.teamId) ?? null;
      const issueLabel = { id: randomUUID(), name: input.name, isGroup: false, team };
      labels.push(issueLabel);
      return { success: true, issueLabel };
    },
    commentCreate: ({ input }: { input: { id: string; issueId: string; body: string } }) => {
      const id = checkedId(input.id);
      const row = issueOf(input.issueId);
      if (row.comments.has(id)) throw conflict("Comment", id);
      moved(row, {}).comments.set(id, input.body);
      return { success: true };
    },
  };
  return { root, issues, issueOf, moved };
}
