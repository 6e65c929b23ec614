/**
 * What an exporter can emit, from its source. Each attribute is either read (a reader takes it), shown with its span, or
 * named here as unread with the reason. A trailing `*` stands for any suffix.
 */
export type Family = {
  name: string;
  /** The file that was read, and its commit. */
  source: string;
  attributes: readonly string[];
  unread: Readonly<Record<string, string>>;
};
