import type { z } from "zod";
import type { Address, AnyVerb, Row } from "@/server/operations/row";
import { isProjectQualified, parametersOf } from "@/server/rest/operation";

/** An answer of `/v1` that is no success. */
export class Refused extends Error {
  constructor(
    readonly problem: { status: number; code: string; detail: string; errors?: { path: string; message: string }[] },
  ) {
    super(problem.detail);
  }
}

/** Calls an operation. A write may be repeated with the same idempotency key, and takes effect once. */
export type Call = <V extends AnyVerb>(
  row: Row<V>,
  input: z.input<V["spec"]["input"]>,
  idempotencyKey?: string,
) => Promise<z.output<V["spec"]["reply"]>>;

type Caller = {
  /** What the caller sent, of which the key and the address are handed on. */
  request: Request;
  projectId: string;
  requestId: string;
  dispatch: (request: Request) => Promise<Response>;
};

/**
 * Returns a function that calls operations as a client of `/v1` does that has the request's key, in this process: validation,
 * capability, limits, audit and idempotency are those of `/v1` because they are the same code.
 */
export function callerFor({ request, projectId, requestId, dispatch }: Caller): Call {
  const handedOn = new Headers({ "x-request-id": requestId });
  for (const name of ["authorization", "x-forwarded-for"]) handedOn.set(name, request.headers.get(name) ?? "");
  return async ({ addresses }, input, idempotencyKey) => {
    const { method, path: template } = (addresses.find(({ path }) => isProjectQualified(path)) ??
      addresses[0]) as Address;
    const { path, rest } = placed(template, { ...(input as object), projectId });
    const headers = new Headers(handedOn);
    if (idempotencyKey !== undefined) headers.set("idempotency-key", idempotencyKey);
    if (method !== "GET") headers.set("content-type", "application/json");
    const body = method === "GET" ? {} : { body: JSON.stringify(rest) };
    const query = method === "GET" ? `?${queryOf(rest)}` : "";
    const { signal } = request;
    const response = await dispatch(
      new Request(`http://localhost/v1${path}${query}`, { method, headers, signal, ...body }),
    );
    const reply = await response.json();
    if (!response.ok) throw new Refused(reply);
    return reply;
  };
}

/** Addresses would lead elsewhere with these as an id. */
const NO_ID = /^\.{0,2}$/;

/** Puts the parameters of a path in their places, and returns what is left of the input. */
function placed(template: string, { projectId, ...input }: Record<string, unknown> & { projectId: string }) {
  let path = template.replace(":projectId", projectId);
  for (const name of parametersOf(path)) {
    const value = String(input[name]);
    if (NO_ID.test(value))
      throw new Refused({ status: 404, code: "not_found", detail: `There is no ${name} “${value}”.` });
    path = path.replace(`:${name}`, encodeURIComponent(value));
    delete input[name];
  }
  return { path, rest: input };
}

const queryOf = (input: Record<string, unknown>) =>
  new URLSearchParams(
    Object.entries(input).flatMap(([name, value]) =>
      value === undefined ? [] : [value].flat().map((one) => [name, String(one)]),
    ),
  );
