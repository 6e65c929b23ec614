import type { AnyStreamVerb, AnyVerb, Method, Operation } from "../operation";

type WithoutSubject<O> = O extends Operation ? Omit<O, "subject"> : never;

/** An operation as a domain lists it: the heading is said once for all of them. */
export type Line = WithoutSubject<Operation>;

/** Puts lines under a heading of the reference. */
export const about = (subject: string, lines: readonly Line[]) =>
  lines.map((line) => ({ ...line, subject }) as Operation);

const isStream = (verb: AnyVerb | AnyStreamVerb): verb is AnyStreamVerb => "kind" in verb.spec;

const on =
  (method: Method) =>
  (path: string, verb: AnyVerb | AnyStreamVerb, status: 200 | 201 | 202 = 200): Line =>
    isStream(verb) ? { method, path, stream: verb, status } : { method, path, verb, status };

export const [get, post, patch, remove] = [on("GET"), on("POST"), on("PATCH"), on("DELETE")];

/** Where most paths begin: the project is named, so a member's session may ask as well as a key. */
export const project = "/projects/:projectId";
