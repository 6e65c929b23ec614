import { afterAll, expect, test } from "vitest";
import { namesAThing, placeOf } from "@/db/testing/things";
import { createDispatcher } from "@/server/rest/dispatcher";
import { openApiOf } from "@/server/rest/openapi";
import { OPERATIONS } from "@/server/rest/operations";
import { requestTo } from "@/server/rest/testing";
import { hex, rowsOf, tenant } from "@/server/rest/testing/tenant";
import { attachScripted } from "@/testbed/trainers/attach-trainer";
import { ScriptedTrainer } from "@/testbed/trainers/scripted-trainer";

const trainer = await new ScriptedTrainer().start();
await attachScripted(trainer);
afterAll(() => trainer.stop());

const dispatch = createDispatcher(OPERATIONS);
const document = openApiOf(OPERATIONS);

type Example = { name: string; in: string; example?: unknown; required?: boolean };

/** Reads first, then what creates and changes, deletions last: each example meets what it is about. */
const ORDER = ["get", "post", "put", "patch", "delete"];
const described = Object.entries(document.paths)
  .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })))
  .sort((a, b) => ORDER.indexOf(a.method) - ORDER.indexOf(b.method));

/** Puts the project's own ids in the place of those of an example, wherever a field's name says that it is one. */
function withOwnIds(value: unknown, idOf: (name: string) => string | undefined, name = ""): unknown {
  if (Array.isArray(value)) return value.map((item) => withOwnIds(item, idOf, name));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, withOwnIds(field, idOf, key)]));
  return (typeof value === "string" && /[a-z]Ids?$/.test(name) && idOf(name.replace(/s$/, ""))) || value;
}

/**
 * Not tried here: they wait until a trainer serves a model, or end the caller's own access. Each has tests of its own, and so
 * have operations that take files and telemetry instead of JSON.
 */
const ELSEWHERE =
  /\/(?:deploy|roll-back|playgrounds)$|^delete .*\/(?:api-keys|members)\/|^delete \/projects\/\{projectId\}$/;

/** What the example asks for and this project refuses for a reason of its own, not for its form. */
const REFUSED_HERE: Readonly<Record<string, string>> = {
  "get /projects/{projectId}/fine-tuning/evaluations/{evaluationId}/blind-row": "signed-in person",
  "post /projects/{projectId}/fine-tuning/evaluations/{evaluationId}/rows/{n}/review": "signed-in person",
  "post /projects/{projectId}/members/{userId}/password-resets": "signed-in owner",
  "post /projects/{projectId}/diagnostics/findings/{findingId}/merge": "merged into itself",
  "post /projects/{projectId}/diagnostics/findings/{findingId}/split": "occurrences of this Finding",
  "post /projects/{projectId}/diagnostics/rule-runs": "The conversation started later",
  "post /projects/{projectId}/notification-rules": "Not a webhook connection",
  "patch /projects/{projectId}/notification-rules/{notificationRuleId}": "Not a webhook connection",
  "post /projects/{projectId}/datasets/{datasetId}/collection-passes": "no collectionObjective",
  "post /projects/{projectId}/fine-tuning/export": "connection to a model hub",
  "post /projects/{projectId}/variants": "model connection was not found",
  "post /projects/{projectId}/variant-answers": "model connection was not found",
  "get /projects/{projectId}/variants/{variantId}/proof-estimate": "either findingId",
  "post /projects/{projectId}/variants/{variantId}/ticket": "written for no Finding",
  "post /projects/{projectId}/variants/{variantId}/proofs": "cannot be proven by replay",
  "patch /projects/{projectId}/fine-tuning/tuning-configs/{configId}": "connection to a model hub",
};
/** A thing that the project does not have, or whose state does not allow it. */
const OF_STATE = new Set([404, 409]);

test("every operation accepts its example with the project's own ids", async () => {
  const own = await tenant(`kilo${hex(8)}`);
  const rows = await rowsOf(own.ctx);
  const idOf = (name: string) => {
    const place = namesAThing(name) ? placeOf(name) : null;
    return place === null ? undefined : (rows[place.table]?.[0]?.[place.id] as string | undefined);
  };
  const refused: string[] = [];
  let sent = 0;
  for (const { path, method, operation } of described) {
    const name = `${method} ${path}`;
    const body = (operation.requestBody?.content["application/json"] as { example?: unknown } | undefined)?.example;
    const takesOther = operation.requestBody !== undefined && body === undefined;
    if (operation.security.length === 0 || takesOther || ELSEWHERE.test(name)) continue;
    let address = `/v1${path}`;
    const query = new URLSearchParams();
    for (const one of operation.parameters as Example[]) {
      if (one.in === "query" && one.required) query.set(one.name, String(withOwnIds(one.example, idOf, one.name)));
      if (one.in !== "path") continue;
      const id = one.name === "projectId" ? own.ctx.projectId : (idOf(one.name) ?? String(one.example));
      address = address.replace(`{${one.name}}`, encodeURIComponent(id));
    }
    const reply = await dispatch(
      requestTo(method.toUpperCase(), `${address}?${query}`, {
        key: own.key,
        ...(body === undefined ? {} : { body: withOwnIds(body, idOf) as object }),
      }),
    );
    sent++;
    const isAccepted = reply.status < 400 || OF_STATE.has(reply.status);
    const text = isAccepted ? "" : await reply.text();
    await reply.body?.cancel().catch(() => {});
    const reason = REFUSED_HERE[name];
    if (!isAccepted && !(reason && text.includes(reason)))
      refused.push(`${name} ${reply.status} ${text.slice(0, 400)}`);
  }
  expect(refused).toEqual([]);
  expect(sent).toBeGreaterThan(200);
});
