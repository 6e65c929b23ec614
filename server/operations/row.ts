import type { Ctx } from "@/server/platform/context";
import type { Streams, StreamVerb } from "@/server/platform/stream-verb";
import type { AccountVerb, InstallationVerb, Verb } from "@/server/platform/verb";

export const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
export type Method = (typeof METHODS)[number];

/** A verb of any input and reply. Doors pass input that the verb's own schema will check. */
export type AnyVerb = {
  (ctx: Ctx, input: never): Promise<unknown>;
  prepare(ctx: Ctx, input: never): ReturnType<Verb["prepare"]>;
  spec: Verb["spec"];
};

/** A stream verb of any input and result. */
export type AnyStreamVerb = { (ctx: Ctx, input: never, streams?: Streams): Promise<unknown>; spec: StreamVerb["spec"] };

/** A verb of any input and reply that belongs to a person or to the installation. */
type AnyPageVerb = { spec: AccountVerb["spec"] | InstallationVerb["spec"] };

export type Status = 200 | 201 | 202;

/** Where `/v1` serves an operation. */
export type Address = {
  method: Method;
  /** Below `/v1`, with `:name` for parameters. */
  path: string;
  /** On success. */
  status: Status;
  /** From an earlier variant of the interface: responses say so (RFC 9745). `since` is a date. */
  deprecated?: { since: string };
};

/** An operation with its addresses in `/v1`: none if it belongs to a person, whom a key does not have. */
export type Row<V = AnyVerb | AnyStreamVerb | AnyPageVerb> = {
  verb: V;
  addresses: readonly Address[];
  /** Its heading in the reference. */
  heading?: string;
};

/** The prefix of most paths. It names the project, so a member's session is accepted as well as a key. */
export const project = "/projects/:projectId";

const on =
  (method: Method) =>
  <V extends AnyVerb | AnyStreamVerb>(path: string | readonly string[], verb: V, status: Status = 200): Row<V> => ({
    verb,
    addresses: [path].flat().map((one) => ({ method, path: one, status })),
  });

/** Rows with one address, or with several of the same method. Pages call the verb as well; streams have `/v1` only. */
export const [get, post, patch, remove] = [on("GET"), on("POST"), on("PATCH"), on("DELETE")];

/** A row for pages only. */
export const page = <V extends AnyPageVerb>(verb: V): Row<V> => ({ verb, addresses: [] });

/** Marks a row's addresses as deprecated since a date. */
export const deprecated = <V>(since: string, row: Row<V>): Row<V> => ({
  ...row,
  addresses: row.addresses.map((address) => ({ ...address, deprecated: { since } })),
});

/** Puts rows under a heading of the reference. */
export function under<Rows extends Record<string, Row>>(heading: string, rows: Rows): Rows {
  return Object.fromEntries(Object.entries(rows).map(([action, row]) => [action, { ...row, heading }])) as Rows;
}
