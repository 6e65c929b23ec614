import type { FieldError } from "@/server/platform/errors";
import type { Example } from "@/server/services/datasets/examples/schemas";
import { type ErrorsAt, errorsAt, placesOf } from "../../../../_components/payload/errors-at";
import {
  emptyPayload,
  formFaults,
  formOf,
  formOfText,
  isSameJson,
  jsonFault,
  type PayloadForm,
  payloadOf,
} from "../../../../_components/payload/payload-form";
import type { Split } from "../../../../_components/words";

/** An Example while it is edited: as a form, or as JSON text while `text` is set. */
export type Draft = { form: PayloadForm; text: string | null; split: Split | ""; tags: string[] };

export const draftOf = (example: Example | null): Draft => ({
  form: example === null ? emptyPayload() : formOf(example.payload),
  text: null,
  split: example?.split ?? "",
  tags: example?.tags ?? [],
});

/** Returns the problems that keep a draft from being sent, by the JSON pointer at which each is shown. */
export function faultsOf({ form, text }: Draft): ErrorsAt {
  if (text === null) return formFaults(form);
  const fault = jsonFault(text);
  return fault === null ? {} : { "": fault };
}

/** Returns the fields to send. Only for a draft without faults. */
export const exampleOf = ({ form, text, split, tags }: Draft) => ({
  payload: text === null ? payloadOf(form) : (JSON.parse(text) as unknown),
  tags,
  ...(split === "" ? {} : { split }),
});

/** Returns whether sending the draft would change something. Text that is not valid JSON yet counts as a change. */
export const isChanged = (draft: Draft, before: Draft) =>
  Object.keys(faultsOf(draft)).length > 0 || !isSameJson(exampleOf(draft), exampleOf(before));

const PARTS = { payload: "messages and answers", split: "split", tags: "tags" } as const;

/** Returns what differs between two drafts without faults, in words. */
export function differingParts(one: Draft, other: Draft): string[] {
  const [a, b] = [exampleOf(one), exampleOf(other)];
  const parts = Object.keys(PARTS) as (keyof typeof PARTS)[];
  return parts.filter((part) => !isSameJson(a[part], b[part])).map((part) => PARTS[part]);
}

/** Returns the draft as JSON text. */
export const asText = (draft: Draft): Draft => ({ ...draft, text: JSON.stringify(payloadOf(draft.form), null, 2) });

/** Returns the draft as a form, or why the form cannot show it. */
export function asForm(draft: Draft): { draft: Draft } | { fault: string } {
  if (draft.text === null) return { draft };
  const read = formOfText(draft.text);
  return "fault" in read ? read : { draft: { ...draft, form: read.form, text: null } };
}

/** Returns the server's problems by where they are shown; for JSON text, all of the payload's are shown in one place. */
export const problemsAt = ({ form, text }: Draft, errors: readonly FieldError[]): ErrorsAt =>
  errorsAt(errors, text === null ? placesOf(form) : NO_PLACES);

const NO_PLACES: ReadonlySet<string> = new Set();
