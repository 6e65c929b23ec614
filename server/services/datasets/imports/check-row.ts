import { z } from "zod";
import { COLLECTION_OBJECTIVES, EXAMPLE_SOURCE_KINDS, EXAMPLE_SPLITS } from "@/db/schema/enumerations";
import { pointerOf } from "@/server/platform/field-errors";
import { validateChatPayload } from "../chat-payload";
import { keyOfChosen, provenanceKeyOf } from "../examples/provenance-key";
import { externalRef, indexedText, tags } from "../examples/schemas";
import type { Draft } from "../examples/types";
import type { ReadItem, Source } from "../formats";

const id = z.string().min(1).max(200);

/**
 * The fields of a row that are stored besides its payload. An unknown kind of source is another system's, so it becomes
 * `import`.
 */
const rest = z.object({
  tags,
  source: z.object({
    kind: z.enum(EXAMPLE_SOURCE_KINDS).catch("import"),
    externalRef,
  }),
  split: z.enum(EXAMPLE_SPLITS).exactOptional(),
  objective: z.enum(COLLECTION_OBJECTIVES).optional().catch(undefined),
  link: z
    .object({
      conversationId: id,
      userId: indexedText(1_000).nullable(),
      turn: z.int().min(0).nullable(),
      findingId: id.nullable(),
    })
    .optional(),
});

/** Returns our conversation that an Example comes from, and the objective it was collected for. */
function originOf({ objective, conversationId, userId, turn, findingId }: Partial<Source>) {
  if (conversationId === undefined) return { objective };
  return {
    objective,
    link: { conversationId, userId: userId ?? null, turn: turn ?? null, findingId: findingId ?? null },
  };
}

/**
 * Returns the provenance key, so that collection recognizes what it already collected, and a person what they already chose.
 */
function provenanceOf({
  objective,
  link,
  source: { kind },
}: Pick<z.infer<typeof rest>, "objective" | "link" | "source">) {
  if (!link || link.turn === null) return undefined;
  const source = { conversationId: link.conversationId, turn: link.turn };
  if (objective !== undefined) return provenanceKeyOf({ objective, source });
  if (kind === "correction") return keyOfChosen("corrected", source);
  return kind === "conversation" || kind === "finding" ? keyOfChosen("added", source) : undefined;
}

/** Converts the path of a field to that in the file, which names the conversation in its `source`. */
const inFile = ([first, ...others]: PropertyKey[]) => [first === "link" ? "source" : first!, ...others];

/** A problem of a row; `path` is a pointer into it, `null` if the row cannot be read at all. */
export type RowProblem = { path: string | null; message: string };

export const problemWords = ({ path, message }: RowProblem) => (path === null ? message : `${path}: ${message}`);

/** A row of a file: an Example to store, or why it is not one, and its text. */
export type CheckedRow = { line: number; exampleId?: string } & (
  | { draft: Draft; problems?: undefined; raw?: string }
  | { draft?: undefined; problems: RowProblem[]; raw: string }
);

export type RowItem = Exclude<ReadItem, { kind: "warning" }>;

/** Returns the row in the form that the writer takes, or all of its problems. */
export function checkRow(item: RowItem): CheckedRow & { raw: string } {
  const { line, raw } = item;
  if (item.kind === "error") return { line, raw, problems: [{ path: null, message: item.message }] };
  const { payload, tags = [], split, source, externalRef, id: exampleId } = item.draft;
  const checked = validateChatPayload(payload);
  const fields = rest.safeParse({
    tags,
    source: { kind: source?.kind ?? "import", externalRef: externalRef ?? source?.externalRef ?? null },
    ...(split && { split }),
    ...originOf(source ?? {}),
  });
  const problems = [
    ...("problems" in checked ? checked.problems : []),
    ...(fields.success
      ? []
      : fields.error.issues.map(({ path, message }) => ({ path: pointerOf(inFile(path)), message }))),
  ];
  if ("problems" in checked || !fields.success) return { line, raw, ...(exampleId && { exampleId }), problems };
  const { objective, link, ...data } = fields.data;
  const provenanceKey = provenanceOf({ objective, link, source: data.source });
  return {
    line,
    raw,
    ...(exampleId && { exampleId }),
    draft: {
      payload: checked.payload,
      ...data,
      ...(objective && { objective }),
      ...(link && { link }),
      ...(provenanceKey && { provenanceKey }),
    },
  };
}
