/** Everything known of one exporter. A trailing `*` of an attribute's name stands for any suffix. */
export type Convention = {
  name: string;
  /** The file that was read attribute by attribute, and its commit; `null` if only spans and other projects' notes were. */
  source: string | null;
  /** Attributes that it can emit: a reader takes them, or they are shown with their span. */
  attributes: readonly string[];
  /** Attributes that are neither, with the reason. */
  unread: Readonly<Record<string, string>>;
};
