import type { IdReader } from "./readers/ids";
import type { Reader } from "./readers/reader";

/** The fields that are read, and what reads each. */
export type Fields = {
  /** The client's own id of the conversation. */
  conversationId: IdReader;
  /** The same as a resource attribute, which all spans of a process share. */
  resourceConversationId: IdReader;
  /** The end user's id. */
  userId: IdReader;
  /** What people tag a conversation with. Those of all conventions are combined. */
  labels: Reader<string[]>;
};

/** Where an exporter has the fields. Of several sources of a field, an earlier one is trusted more. */
export type Sources = { readonly [Field in keyof Fields]?: readonly Fields[Field][] };

/** Everything known of one exporter. A trailing `*` of an attribute's name stands for any suffix. */
export type Convention = Sources & {
  name: string;
  /** The file that was read attribute by attribute, and its commit; `null` if only spans and other projects' notes were. */
  source: string | null;
  /** Sources that count only if no other convention has the field. */
  fallback?: Sources;
  /** A text that it tags steps of its own with. */
  ownTags?: RegExp;
  /** Attributes that it can emit: a reader takes them, or they are shown with their span. */
  attributes: readonly string[];
  /** Attributes that are neither, with the reason. */
  unread: Readonly<Record<string, string>>;
};
