import type { PgTable } from "drizzle-orm/pg-core";
import type * as schema from "../schema";

type NameOf<T> = T extends PgTable ? T["_"]["name"] : never;
/** Every table that the schema exports: a table without an entry does not compile. */
export type TableName = NameOf<(typeof schema)[keyof typeof schema]>;

/** Columns by which the rows of a conversation or of a person's account are found. */
export type Key = "id" | "conversation_id" | "trace_id" | "user_id";

/** Content that a person wrote or sent, ids that lead to it, sums over it, hashes of it, or content sealed with our key. */
type What = "words" | "ids" | "sums" | "hashes" | "sealed";

/** A file under `server/services`, without its extension, that has its own statement for this table. */
type ServiceFile = string;

type Held = {
  holds: What;
  /** Best key first. Without one, rows are found through other tables. */
  by?: readonly Key[];
} & (
  | { erased: "deleted"; in?: ServiceFile; because?: string }
  /** Deleted with another table's row, through a foreign key. */
  | { erased: "cascade"; with: TableName }
  /** The row remains, without the content that must be erased. */
  | { erased: "rewritten"; because: string; in?: ServiceFile; keepsIds?: true }
  /** Deleted by a later expiry. */
  | { erased: "expires"; because: string; in?: ServiceFile }
  | { erased: "kept"; because: string }
);

/** What a table contains about a subject, and how a deletion reaches it. */
export type Holding = Held | { holds: "nothing"; because: string };

/**
 * How a table's rows are deleted with their project: in counted `batches`; `at once`, in the request that deletes the
 * project; by a `statement` just before the project's own row; by a `cascade` from that row; or not at all.
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
  /** About a conversation, and so about its end user. */
  conversation: Holding;
  /** About a person with an account here. */
  person: Holding;
  project: ProjectEnd;
  /** The preview figure that counts its rows. */
  preview?: string;
  /** Grows with what a project sends, so its size is measured. */
  measured?: true;
  /** The column with a person's e-mail address, cleared when they are erased. */
  address?: string;
};

export const nothing = (because: string) => ({ holds: "nothing", because }) as const;
