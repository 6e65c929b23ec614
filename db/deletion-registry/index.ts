import { TABLES } from "./tables";
import type { Entry, Holding, Key, TableName } from "./vocabulary";

export { FILE_KIND_ENTRIES } from "./file-kinds";
export type { Entry, Holding, Key, TableName };
export { TABLES };

type Tables = typeof TABLES;
type Where<Shape> = { [Name in TableName]: Tables[Name] extends Shape ? Name : never }[TableName];

/** Tables whose stored size is measured. */
export type MeasuredTable = Where<{ measured: true }>;
type PreviewedTable = Where<{ preview: string }>;
/** Figures of a deletion preview that count the rows of one table. */
export type PreviewFigure = Tables[PreviewedTable]["preview"];
/** Tables shown to people: counted on a receipt, checked after a deletion, or measured. */
export type ReportedTable =
  | MeasuredTable
  | Where<{ conversation: { by: readonly Key[] } }>
  | Where<{ project: "batches" | "at once" | "statement" | "itself" }>;

const ENTRIES = Object.entries(TABLES) as [TableName, Entry][];
/** Returns the tables whose entry meets a condition, in the registry's order. */
export const tablesWhere = (meets: (entry: Entry) => boolean): TableName[] =>
  ENTRIES.filter(([, entry]) => meets(entry)).map(([name]) => name);

export const MEASURED_TABLES = tablesWhere(({ measured }) => measured === true) as MeasuredTable[];

/** Each preview figure with the table that it counts. */
export const PREVIEWED_TABLES = ENTRIES.flatMap(([table, { preview }]) =>
  preview === undefined ? [] : [{ table: table as PreviewedTable, figure: preview as PreviewFigure }],
);

const keysOf = (holding: Holding): readonly Key[] => ("by" in holding && holding.by) || [];

/** The best column for finding a conversation's rows (or its traces' rows), for each table that has one. */
export const CONVERSATION_KEYS = new Map(
  ENTRIES.flatMap(([table, { conversation }]) => {
    const [key] = keysOf(conversation);
    return key === undefined ? [] : [[table, key] as const];
  }),
);

/** Returns the tables whose conversation rows are deleted by this column without further side effects. */
export const tablesDeletedBy = (key: Key) =>
  tablesWhere(
    ({ conversation: held }) =>
      held.holds !== "nothing" && held.erased === "deleted" && held.in === undefined && keysOf(held).includes(key),
  );

/** Columns that hold a person's e-mail address. */
export const ADDRESS_COLUMNS = ENTRIES.flatMap(([table, { address }]) =>
  address === undefined ? [] : [{ table, column: address }],
);

type Subject = "conversation" | "person";
const erasedAs = (of: Subject, how: (held: Exclude<Holding, { holds: "nothing" }>) => boolean) =>
  tablesWhere(({ [of]: held }) => held.holds !== "nothing" && how(held));

/** Returns the tables in which ids remain after an erasure. Message content remains in none. */
export const tablesRetainingIds = (of: Subject) =>
  erasedAs(of, (held) => held.erased === "kept" || (held.erased === "rewritten" && held.keepsIds === true));

/** Returns the tables whose remaining ids expire some time after an erasure. */
export const tablesExpiring = (of: Subject) => erasedAs(of, ({ erased }) => erased === "expires");
