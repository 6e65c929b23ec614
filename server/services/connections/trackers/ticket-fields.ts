import { ownValue } from "@/server/platform/json/own-value";
import type { StoredTicketFields, TicketField, TicketFieldValue, TicketFieldValues } from "../schemas";

/** Destinations are compared without case, as trackers do. */
export const fieldsKey = (destination: string) => destination.trim().toUpperCase();

/** Returns what new tickets get in a destination's fields. */
export const ticketFieldsAt = (stored: StoredTicketFields, destination: string): TicketFieldValues =>
  ownValue(stored, fieldsKey(destination)) ?? {};

/** Returns the required fields that have no value. */
export const missingFields = <Field extends Pick<TicketField, "id" | "required">>(
  fields: readonly Field[],
  values: TicketFieldValues,
): Field[] => fields.filter(({ id, required }) => required && ownValue(values, id) === undefined);

/** Says what to do about a required field without a value. */
export const missingFieldWords = ({ name, type, trackerType }: TicketField, tickets: string) =>
  type === null
    ? `${tickets} requires “${name}” (${trackerType}), which Whetstone cannot fill in. Give it a default value in Jira, or choose another issue type.`
    : `${tickets} requires “${name}”. Enter its value in the connection, or give it a default value in Jira.`;

type Check = (value: TicketFieldValue, field: TicketField) => string | undefined;

const isText = (value: TicketFieldValue): value is string => typeof value === "string";
const listed = ({ options }: TicketField) =>
  options.length === 0 ? "It has none." : `It has: ${options.map(({ name }) => name).join(", ")}.`;
const lacks = (field: TicketField, ids: readonly string[]) => {
  const known = new Set(field.options.map(({ id }) => id));
  const unknown = ids.find((id) => !known.has(id));
  return unknown === undefined ? undefined : `“${field.name}” has no option “${unknown}”. ${listed(field)}`;
};

const CHECKS: Record<NonNullable<TicketField["type"]>, Check> = {
  text: (value, { name }) => (isText(value) ? undefined : `“${name}” takes a text.`),
  number: (value, { name }) => (typeof value === "number" ? undefined : `“${name}” takes a number.`),
  option: (value, field) => (isText(value) ? lacks(field, [value]) : `“${field.name}” takes the id of one option.`),
  options: (value, field) =>
    Array.isArray(value) ? lacks(field, value) : `“${field.name}” takes a list of ids of options.`,
  labels: (value, { name }) =>
    Array.isArray(value) && value.every((label) => !/\s/.test(label))
      ? undefined
      : `“${name}” takes a list of labels without spaces.`,
  user: (value, { name, options }) => {
    if (!isText(value)) return `“${name}” takes the id of a user.`;
    return options.some(({ id }) => id === value)
      ? undefined
      : `“${name}” takes a user to whom the project's tickets can be assigned, and “${value}” is none.`;
  },
};

/** Returns why a field cannot have this value; `undefined` if it can. */
export const fieldProblem = (field: TicketField, value: TicketFieldValue): string | undefined =>
  field.type === null
    ? `Whetstone cannot fill in “${field.name}”, which is of the type ${field.trackerType}.`
    : CHECKS[field.type](value, field);
