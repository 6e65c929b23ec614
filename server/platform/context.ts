import type { Db } from "@/db/client";
import { type Capability, ROLE_CAPABILITIES, type Role } from "./capabilities";
import { transact } from "./database/transact";
import { ServiceError } from "./errors";

/** A project whose membership was verified: minted only by session checks, key checks and job contexts. */
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
  /** Collects the audit notes of the running write; `auditNote` adds to it. */
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

/** The operator's command line: with access to the database, no further right is required. */
export type OperatorCtx = { db: Db; operator: true; request?: undefined; notes?: AuditNote[] | undefined };

/** Who acts on the installation as a whole. */
export type InstallationCtx = AccountCtx | OperatorCtx;

/** The door a request came through and how to find it in the logs. */
export type RequestInfo = { requestId: string; address: string | null; door: "rest" | "trpc" | "page" };

/** What a write adds to its audit row. Nothing secret, and no content of conversations. */
export type AuditNote = {
  /** Default: what the input's first `…Id` names. `null`: the project or the account as a whole. */
  target?: { type: string; id: string } | null | undefined;
  /** The changed fields' old values. */
  before?: Record<string, unknown> | null;
  /** Their new values. Default: the input. */
  after?: Record<string, unknown> | null;
  /** For an account's write: the project whose log gets the row. */
  projectId?: string;
  /** There was nothing to do, so that the write leaves no row. */
  nothing?: true;
  /** The write deletes the project and its log: a second row goes to the account's log. */
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

/** Returns whether the caller holds any one of `wanted`. */
export const hasCapability = (ctx: Ctx, wanted: readonly Capability[]) =>
  wanted.some((capability) => capabilitiesOf(ctx.actor).includes(capability));

/** Throws `forbidden` when the caller would grant capabilities that they do not hold. */
export function requireGrantable(ctx: Ctx, wanted: readonly Capability[]) {
  const beyond = wanted.filter((capability) => !hasCapability(ctx, [capability]));
  if (beyond.length > 0) {
    throw new ServiceError("forbidden", `You cannot grant capabilities that you do not have: ${beyond.join(", ")}.`);
  }
}

export function requireCapability(ctx: Ctx, wanted: readonly Capability[]) {
  if (!hasCapability(ctx, wanted)) {
    throw new ServiceError("forbidden", `This requires the capability ${wanted.join(" or ")}.`);
  }
}

/** Returns the id of the acting person or key; `null` for a job and for the operator, which have none. */
export const idOfActor = (actor: Actor): string | null =>
  actor.kind === "user" ? actor.userId : actor.kind === "apiKey" ? actor.keyId : null;

/** Runs `work` in one transaction, including the events that it emits. */
export const inTransaction = <C extends { db: Db }, T>(ctx: C, work: (ctx: C) => Promise<T>): Promise<T> =>
  transact(ctx.db, (tx) => work({ ...ctx, db: tx }));
