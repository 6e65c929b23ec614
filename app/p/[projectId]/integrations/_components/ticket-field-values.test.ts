import { expect, test } from "vitest";
import type { TicketField, TicketFieldValue } from "@/server/services/connections/schemas";
import { controlOf, missingIds, valuesFrom } from "./ticket-field-values";

const field = (id: string, type: TicketField["type"], value: TicketFieldValue | null = null, required = true) => ({
  ...{ id, name: id, required, type, trackerType: "any", options: [], value },
});
const FIELDS = [field("text", "text", "As before"), field("cost", "number"), field("regions", "options", ["1", "2"])];

test("a control shows the stored value, or is empty in its own way", () => {
  expect(FIELDS.map(controlOf)).toEqual(["As before", "", ["1", "2"]]);
  expect([controlOf(field("labels", "labels")), controlOf(undefined)]).toEqual([[], ""]);
});

test("only changed values are sent, and emptied ones as null", () => {
  expect(valuesFrom(FIELDS, {})).toEqual({});
  expect(valuesFrom(FIELDS, { text: "As before ", cost: 4, regions: ["1", "2"] })).toEqual({ cost: 4 });
  expect(valuesFrom(FIELDS, { text: " ", regions: [] })).toEqual({ text: null, regions: null });
  expect(valuesFrom(FIELDS, { unknown: "x" })).toEqual({});
});

test("a required field is missing while its control is empty, unless it cannot be filled in", () => {
  const all = [...FIELDS, field("place", null), field("note", "text", null, false)];
  expect(missingIds(all, {})).toEqual(["cost"]);
  expect(missingIds(all, { cost: 0, text: "" })).toEqual(["text"]);
});
