import type { z } from "zod";
import type { Address, AnyStreamVerb, AnyVerb, Status } from "@/server/operations/row";
import type { Capability } from "@/server/platform/capabilities";
import type { Effect } from "@/server/platform/verb";

type Route = Omit<Address, "status"> & {
  /** Its heading in the reference. */
  heading: string;
  /** On success. Default: 200. */
  status?: Status;
};

/** A service operation. Schemas, capability and texts come from the verb. */
export type VerbOperation = Route & { verb: AnyVerb };

/** An operation that streams its request or response body. */
export type StreamOperation = Route & { stream: AnyStreamVerb };

/** A route without authentication. */
export type OpenOperation = Route & {
  name: string;
  summary: string;
  description: string;
  reply: z.ZodType;
  open: (request: Request, params: Record<string, string>) => Response | Promise<Response>;
};

export type Operation = VerbOperation | StreamOperation | OpenOperation;

type Facts = {
  name: string;
  summary: string;
  description: string;
  effect: Effect;
  /** Any one of these suffices; `null` without authentication. */
  capability: readonly Capability[] | null;
  /** Needed besides. */
  besides?: Capability;
};

/** Returns what every kind of operation has. */
export function factsOf(operation: Operation): Facts {
  if ("verb" in operation) return operation.verb.spec;
  if ("stream" in operation) return operation.stream.spec;
  return { ...operation, effect: "read", capability: null };
}

/** Returns the names of a path's parameters, in order. */
export const parametersOf = (path: string) => [...path.matchAll(/:(\w+)/g)].map((match) => match[1] as string);

/** Returns whether the path names the project. Other routes take it from the API key and accept no cookie. */
export const isProjectQualified = (path: string) => parametersOf(path).includes("projectId");
