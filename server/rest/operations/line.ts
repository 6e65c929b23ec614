import type { AnyStreamVerb, AnyVerb, Method, Operation } from "../operation";

type WithoutSubject<O> = O extends Operation ? Omit<O, "subject"> : never;

/** An operation as a domain lists it, without the heading that they share. */
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

/** The prefix of most paths. It names the project, so a member's session is accepted as well as a key. */
export const project = "/projects/:projectId";
