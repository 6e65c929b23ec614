import { TABLES } from "./tables";
import type { Entry, Holding, Key, TableName } from "./vocabulary";

export { FILE_KIND_ENTRIES } from "./file-kinds";
export type { Entry, Holding, Key, TableName };
export { TABLES };

type Tables = typeof TABLES;
type Where<Shape> = { [Name in TableName]: Tables[Name] extends Shape ? Name : never }[TableName];

/** Tables whose sizes are measured. */
export type MeasuredTable = Where<{ measured: true }>;
type PreviewedTable = Where<{ preview: string }>;
/** The figures of a preview that are rows of one table. */
export type PreviewFigure = Tables[PreviewedTable]["preview"];
/** Tables of which people are told: counted on a receipt, looked through after a deletion, or measured. */
export type ReportedTable =
  | MeasuredTable
  | Where<{ conversation: { by: readonly Key[] } }>
  | Where<{ project: "batches" | "at once" | "statement" | "itself" }>;

const ENTRIES = Object.entries(TABLES) as [TableName, Entry][];
/** Returns the tables whose entry meets a condition, in the registry's order. */
export const tablesWhere = (meets: (entry: Entry) => boolean): TableName[] =>
  ENTRIES.filter(([, entry]) => meets(entry)).map(([name]) => name);

export const MEASURED_TABLES = tablesWhere(({ measured }) => measured === true) as MeasuredTable[];

/** The figure of a preview and the table that it counts. */
export const PREVIEWED_TABLES = ENTRIES.flatMap(([table, { preview }]) =>
  preview === undefined ? [] : [{ table: table as PreviewedTable, figure: preview as PreviewFigure }],
);

const keysOf = (holding: Holding): readonly Key[] => ("by" in holding && holding.by) || [];

/** The column by which rows of a conversation (or of its traces) are best found, of each table that has one. */
export const CONVERSATION_KEYS = new Map(
  ENTRIES.flatMap(([table, { conversation }]) => {
    const [key] = keysOf(conversation);
    return key === undefined ? [] : [[table, key] as const];
  }),
);

/** Tables whose rows of a conversation are deleted by this column, and nothing more follows from it. */
export const tablesDeletedBy = (key: Key) =>
  tablesWhere(
    ({ conversation: held }) =>
      held.holds !== "nothing" && held.erased === "deleted" && held.in === undefined && keysOf(held).includes(key),
  );

/** Columns with a person's address. */
export const ADDRESS_COLUMNS = ENTRIES.flatMap(([table, { address }]) =>
  address === undefined ? [] : [{ table, column: address }],
);

type Subject = "conversation" | "person";
const erasedAs = (of: Subject, how: (held: Exclude<Holding, { holds: "nothing" }>) => boolean) =>
  tablesWhere(({ [of]: held }) => held.holds !== "nothing" && how(held));

/** Tables in which an id stays after an erasure. Words stay in none. */
export const tablesRetainingIds = (of: Subject) =>
  erasedAs(of, (held) => held.erased === "kept" || (held.erased === "rewritten" && held.keepsIds === true));

/** Tables from which ids go by themselves, some time after an erasure. */
export const tablesExpiring = (of: Subject) => erasedAs(of, ({ erased }) => erased === "expires");
