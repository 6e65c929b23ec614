import { z } from "zod";
import { ownValue } from "@/server/platform/json/own-value";
import type { TicketField, TicketFieldValue, TicketFieldValues } from "../../schemas";
import { sameName } from "../mapped-state";
import { fieldProblem } from "../ticket-fields";
import { type JiraApi, projectKey } from "./jira-api";
import { JiraError } from "./jira-errors";

/** Fields that are filled by us or by Jira; labels are a setting of the connection. */
const FILLED: ReadonlySet<string> = new Set(["project", "issuetype", "summary", "description", "labels", "reporter"]);
const PAGE = 200;
const USERS_MAX = 200;

const issueType = z.object({ id: z.string(), name: z.string(), subtask: z.boolean() });
export type JiraIssueType = z.output<typeof issueType>;

/** Options have a `value`, priorities, versions and components a `name`. Values of other types may have no id. */
const option = z
  .object({ id: z.string(), value: z.string().optional(), name: z.string().optional() })
  .transform(({ id, value, name }) => ({ id, name: value ?? name ?? id }))
  .nullable()
  .catch(null);
/** `FieldCreateMetadata` and `JsonTypeBean` of Jira's API description. */
const field = z.object({
  fieldId: z.string(),
  name: z.string(),
  required: z.boolean(),
  hasDefaultValue: z.boolean().catch(false),
  operations: z.array(z.string()).catch(["set"]),
  schema: z
    .object({
      type: z.string(),
      items: z.string().optional(),
      system: z.string().optional(),
      custom: z.string().optional(),
    })
    .catch({ type: "any" }),
  allowedValues: z
    .array(option)
    .catch([])
    .transform((all) => all.filter((one) => one !== null)),
});
export type JiraField = z.output<typeof field>;
type Schema = JiraField["schema"];

/** A page of a list, which has another name on Cloud than on Data Center. */
const page = { total: z.number().optional(), isLast: z.boolean().optional() };
const issueTypes = z.union([
  z
    .object({ ...page, issueTypes: z.array(issueType) })
    .transform(({ issueTypes: items, ...rest }) => ({ ...rest, items })),
  z.object({ ...page, values: z.array(issueType) }).transform(({ values: items, ...rest }) => ({ ...rest, items })),
]);
const fields = z.union([
  z.object({ ...page, fields: z.array(field) }).transform(({ fields: items, ...rest }) => ({ ...rest, items })),
  z.object({ ...page, values: z.array(field) }).transform(({ values: items, ...rest }) => ({ ...rest, items })),
]);
type Page<Item> = { total?: number | undefined; isLast?: boolean | undefined; items: Item[] };

async function everyPage<Item>(read: (startAt: number) => Promise<Page<Item>>): Promise<Item[]> {
  const all: Item[] = [];
  for (;;) {
    const { items, total, isLast } = await read(all.length);
    all.push(...items);
    if (items.length === 0 || (isLast ?? all.length >= (total ?? 0))) return all;
  }
}

/** Returns the issue type with this name, or the project's first one that is not a sub-task. */
export async function issueTypeOf({ ask }: JiraApi, project: string, name: string | null): Promise<JiraIssueType> {
  const key = projectKey(project);
  const types = await everyPage((startAt) =>
    ask({ subject: "project" }, issueTypes, ({ issues }) =>
      issues.getCreateIssueMetaIssueTypes({ projectIdOrKey: key, startAt, maxResults: PAGE }),
    ),
  );
  const ordinary = types.filter(({ subtask }) => !subtask);
  const found = name === null ? ordinary[0] : ordinary.find((type) => sameName(type.name, name));
  if (found) return found;
  if (ordinary.length === 0) {
    throw new JiraError(
      "destination",
      `The account cannot create tickets in ${key}. Give it the permission “Create issues” there.`,
    );
  }
  const names = ordinary.map((type) => type.name).join(", ");
  throw new JiraError(
    "destination",
    `${key} has no issue type “${name}”. It has: ${names}. Choose one in the connection.`,
  );
}

/** Returns the fields of the screen on which tickets of this type are created. */
export const createFields = ({ ask }: JiraApi, project: string, type: JiraIssueType): Promise<JiraField[]> =>
  everyPage((startAt) =>
    ask({ subject: "project" }, fields, ({ issues }) =>
      issues.getCreateIssueMetaIssueTypeId({
        projectIdOrKey: projectKey(project),
        issueTypeId: encodeURIComponent(type.id),
        startAt,
        maxResults: PAGE,
      }),
    ),
  );

/** Single values that are chosen by their id. */
const CHOSEN: ReadonlySet<string> = new Set(["option", "priority", "version", "component", "securitylevel"]);
const isLabels = ({ system, custom }: Schema) => system === "labels" || custom?.endsWith(":labels") === true;
type Nature = {
  type: NonNullable<TicketField["type"]>;
  applies: (schema: Schema) => boolean;
  /** Converts a value of this type to what Jira takes. */
  sent: (value: TicketFieldValue, isCloud: boolean) => unknown;
};
const NATURES: readonly Nature[] = [
  { type: "text", applies: ({ type }) => type === "string", sent: (value) => value },
  { type: "number", applies: ({ type }) => type === "number", sent: (value) => value },
  { type: "option", applies: ({ type }) => CHOSEN.has(type), sent: (id) => ({ id }) },
  {
    type: "options",
    applies: ({ type, items = "" }) => type === "array" && CHOSEN.has(items),
    sent: (ids) => [ids].flat().map((id) => ({ id })),
  },
  {
    type: "labels",
    applies: (schema) => schema.type === "array" && schema.items === "string" && isLabels(schema),
    sent: (labels) => labels,
  },
  {
    type: "user",
    applies: ({ type }) => type === "user",
    sent: (id, isCloud) => (isCloud ? { accountId: id } : { name: id }),
  },
];
const natureOf = ({ schema, operations }: JiraField) =>
  operations.includes("set") ? NATURES.find(({ applies }) => applies(schema)) : undefined;

/** Returns the fields that somebody has to fill in, or can: neither we nor Jira do. */
export const toFill = (all: readonly JiraField[]) => all.filter(({ fieldId }) => !FILLED.has(fieldId));

/** Converts a field to our form. */
export const ticketFieldOf = (of: JiraField): TicketField => ({
  id: of.fieldId,
  name: of.name,
  required: of.required && !of.hasDefaultValue,
  type: natureOf(of)?.type ?? null,
  trackerType: of.schema.items === undefined ? of.schema.type : `${of.schema.type} of ${of.schema.items}`,
  options: of.allowedValues,
});

/** Returns the fields that a person has to fill in, followed by those that one can. */
export async function ticketFields(
  api: JiraApi,
  project: string,
  options: { issueType: string | null; values: TicketFieldValues },
): Promise<{ issueType: string; fields: TicketField[] }> {
  const type = await issueTypeOf(api, project, options.issueType);
  const all = toFill(await createFields(api, project, type)).map(ticketFieldOf);
  const chosen = all.flatMap(({ id, type: kind }) => (kind === "user" ? [ownValue(options.values, id)] : []));
  const users =
    chosen.length > 0
      ? await assignable(
          api,
          project,
          chosen.filter((id) => typeof id === "string"),
        )
      : [];
  return {
    issueType: type.name,
    fields: all
      .filter((one) => one.required || one.type !== null)
      .map((one) => (one.type === "user" ? { ...one, options: users } : one))
      .sort((one, other) => Number(other.required) - Number(one.required)),
  };
}

/** A user has an account id on Cloud and a name on Data Center. */
const user = z
  .object({ accountId: z.string().optional(), name: z.string().optional(), displayName: z.string().optional() })
  .transform(({ accountId, name, displayName }) => ({ id: accountId ?? name ?? "", name: displayName ?? name ?? "" }));

/** Returns the first users to whom the project's tickets can be assigned, and these ones if they are among the others. */
async function assignable(api: JiraApi, project: string, ids: readonly string[]) {
  const { isCloud } = await api.site();
  const find = (which: { accountId?: string; username?: string }) =>
    api
      .ask({ subject: "project" }, z.array(user), ({ users }) =>
        users.findAssignableUsers({ project: projectKey(project), maxResults: USERS_MAX, ...which }),
      )
      .catch((error: unknown) => {
        // Seeing users takes a permission of its own, and most projects require none.
        if (error instanceof JiraError && error.reason === "credential") return [] as z.output<typeof user>[];
        throw error;
      });
  const found = await find({});
  for (const id of ids) {
    if (found.some((one) => one.id === id)) continue;
    const others = await find(isCloud ? { accountId: id } : { username: id });
    found.push(...others.filter((one) => one.id === id));
  }
  return found;
}

/**
 * Returns a connection's values as Jira takes them, for fields that this type of ticket has. Throws for a value that its field no
 * longer takes.
 */
export async function fieldsToSend(
  api: JiraApi,
  project: string,
  type: JiraIssueType,
  values: TicketFieldValues,
): Promise<Record<string, unknown>> {
  // Most projects require nothing, and a refusal names what is missing.
  if (Object.keys(values).length === 0) return {};
  const all = toFill(await createFields(api, project, type));
  const { isCloud } = await api.site();
  const sent: Record<string, unknown> = {};
  for (const one of all) {
    const value = ownValue(values, one.fieldId);
    const nature = natureOf(one);
    if (value === undefined) continue;
    const problem = nature?.type === "user" ? undefined : fieldProblem(ticketFieldOf(one), value);
    if (problem !== undefined) throw new JiraError("destination", `${problem} Choose another value in the connection.`);
    sent[one.fieldId] = nature!.sent(value, isCloud);
  }
  return sent;
}
