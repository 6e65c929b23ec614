import type { Db } from "@/db/client";
import { type Capability, ROLE_CAPABILITIES, type Role } from "./capabilities";
import { transact } from "./database/transact";
import { ServiceError } from "./errors";

/** A project that the caller was shown to belong to: minted by session and key checks, and where a job starts. */
export type ProjectId = string & { readonly __brand: "ProjectId" };

export type Actor =
  | { kind: "user"; userId: string; role: Role; sessionId?: string | undefined }
  | { kind: "apiKey"; keyId: string; capabilities: readonly Capability[] }
  | { kind: "job"; name: string }
  | { kind: "operator" };

/** Who acts, in which project, on which database handle (the pool or an open transaction). */
export type Ctx = {
  db: Db;
  projectId: ProjectId;
  actor: Actor;
  request?: RequestInfo | undefined;
  /** Where a running write gathers what its audit row says; `auditNote` adds to it. */
  notes?: AuditNote[] | undefined;
};

/** A signed-in person outside any project: their projects, their account. */
export type AccountCtx = {
  db: Db;
  userId: string;
  sessionId?: string | undefined;
  request?: RequestInfo | undefined;
  notes?: AuditNote[] | undefined;
};

/** The operator's command line: whoever has the database needs no right of anybody's. */
export type OperatorCtx = { db: Db; operator: true; request?: undefined; notes?: AuditNote[] | undefined };

/** Who acts on the installation as a whole. */
export type InstallationCtx = AccountCtx | OperatorCtx;

/** By which door somebody came and how the request is found again. */
export type RequestInfo = { requestId: string; address: string | null; door: "rest" | "trpc" | "page" };

/** What a write says about itself for the audit log. Nothing secret; nothing of a conversation's content. */
export type AuditNote = {
  /** Unless noted: what the input's first `…Id` names. `null`: the project or the account as a whole. */
  target?: { type: string; id: string } | null | undefined;
  /** The fields that the change touched, as they were. */
  before?: Record<string, unknown> | null;
  /** The same fields as they became. Unless noted: the input. */
  after?: Record<string, unknown> | null;
  /** Of an account's write: the project that it concerns, whose log then has the row. */
  projectId?: string;
  /** The project, and its log with it, goes by this write: a second row stays outside. */
  survivesProject?: boolean;
};

const capabilitiesOf = (actor: Actor): readonly Capability[] => {
  switch (actor.kind) {
    case "user":
      return ROLE_CAPABILITIES[actor.role];
    case "apiKey":
      return actor.capabilities;
    case "job":
    case "operator":
      return ROLE_CAPABILITIES.owner;
  }
};

/** Holding any one of `wanted` is enough. */
export const hasCapability = (ctx: Ctx, wanted: readonly Capability[]) =>
  wanted.some((capability) => capabilitiesOf(ctx.actor).includes(capability));

/** Refuses to hand on what the caller does not hold. */
export function requireGrantable(ctx: Ctx, wanted: readonly Capability[]) {
  const beyond = wanted.filter((capability) => !hasCapability(ctx, [capability]));
  if (beyond.length > 0) {
    throw new ServiceError("forbidden", `You cannot give what you do not hold: ${beyond.join(", ")}.`);
  }
}

export function requireCapability(ctx: Ctx, wanted: readonly Capability[]) {
  if (!hasCapability(ctx, wanted)) {
    throw new ServiceError("forbidden", `This needs the capability ${wanted.join(" or ")}.`);
  }
}

/** The id of the person or key that acts; `null` for a job and for the operator, who have none. */
export const idOfActor = (actor: Actor): string | null =>
  actor.kind === "user" ? actor.userId : actor.kind === "apiKey" ? actor.keyId : null;

/** Everything in `work` commits or nothing does; events that it emits ride in the same transaction. */
export const inTransaction = <C extends { db: Db }, T>(ctx: C, work: (ctx: C) => Promise<T>): Promise<T> =>
  transact(ctx.db, (tx) => work({ ...ctx, db: tx }));
