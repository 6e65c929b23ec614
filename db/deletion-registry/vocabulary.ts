import type { PgTable } from "drizzle-orm/pg-core";
import type * as schema from "../schema";

type NameOf<T> = T extends PgTable ? T["_"]["name"] : never;
/** Every table that the schema exports: one without an entry in the registry does not compile. */
export type TableName = NameOf<(typeof schema)[keyof typeof schema]>;

/** Columns by which rows of a conversation, or of a person's account, are found. */
export type Key = "id" | "conversation_id" | "trace_id" | "user_id";

/** What somebody wrote or sent, ids that lead to it, sums over it, hashes of it, or words that only we can open. */
type What = "words" | "ids" | "sums" | "hashes" | "sealed";

/** A file of `server/services`, without its ending, with a statement of its own for this table. */
type Place = string;

type Held = {
  holds: What;
  /** The best key first. Without one, the rows are found through other tables. */
  by?: readonly Key[];
} & (
  | { erased: "deleted"; in?: Place; because?: string }
  /** With the row of another table, by a foreign key. */
  | { erased: "cascade"; with: TableName }
  /** The row stays, and says what it still may. */
  | { erased: "rewritten"; because: string; in?: Place; keepsIds?: true }
  /** By itself, some time later. */
  | { erased: "expires"; because: string; in?: Place }
  | { erased: "kept"; because: string }
);

/** What a table holds of somebody or something, and how a deletion reaches it. */
export type Holding = Held | { holds: "nothing"; because: string };

/**
 * How a table goes with its project: in `batches` that are counted; `at once`, in the request that deletes the project;
 * by `statement` just before the project's own row; in a `cascade` from that; or not at all.
 */
type ProjectEnd =
  | "batches"
  | "at once"
  | "at once, uncounted"
  | "statement"
  | "itself"
  | "cascade"
  | "kept"
  | "not a project's";

export type Entry = {
  /** Of a conversation, and with it of the end user whose it is. */
  conversation: Holding;
  /** Of somebody with an account here. */
  person: Holding;
  project: ProjectEnd;
  /** The figure of a preview that counts its rows. */
  preview?: string;
  /** It grows with what a project sends, and its size is measured. */
  measured?: true;
  /** The column with a person's e-mail address, which is emptied when they are erased. */
  address?: string;
};

export const nothing = (because: string) => ({ holds: "nothing", because }) as const;
