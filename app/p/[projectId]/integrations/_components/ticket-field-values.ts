import type { TicketField, TicketFieldValue } from "@/server/services/connections/schemas";

/** A value as its control represents it; empty is "" or no elements. */
export type FieldControl = string | number | string[];
export type FieldValues = Record<string, TicketFieldValue | null>;
type Field = TicketField & { value: TicketFieldValue | null };

const SEVERAL: readonly TicketField["type"][] = ["options", "labels"];

/** Returns the stored value of a field as its control represents it. */
export const controlOf = (field: Field | undefined): FieldControl =>
  field?.value ?? (field !== undefined && SEVERAL.includes(field.type) ? [] : "");

const valueIn = (control: FieldControl): TicketFieldValue | null => {
  if (typeof control === "string") return control.trim() || null;
  return Array.isArray(control) && control.length === 0 ? null : control;
};

/** Returns the values to send: those that were changed, and `null` for those that were emptied. */
export const valuesFrom = (fields: readonly Field[], controls: Readonly<Record<string, FieldControl>>): FieldValues =>
  Object.fromEntries(
    fields.flatMap(({ id, value }) => {
      const control = controls[id];
      if (control === undefined) return [];
      const entered = valueIn(control);
      return JSON.stringify(entered) === JSON.stringify(value) ? [] : [[id, entered]];
    }),
  );

/** Returns the ids of required fields that would have no value. Those that cannot be filled in are not among them. */
export const missingIds = (fields: readonly Field[], controls: Readonly<Record<string, FieldControl>>): string[] =>
  fields
    .filter(({ required, type }) => required && type !== null)
    .filter((field) => valueIn(controls[field.id] ?? controlOf(field)) === null)
    .map(({ id }) => id);
