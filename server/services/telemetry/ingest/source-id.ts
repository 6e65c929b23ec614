import { createHash } from "node:crypto";
import type { SpanRecord } from "../otlp/types";

type Source = Pick<SpanRecord, "resource" | "scope">;
export type SourceRow = { id: string; resource: object; scope_name: string; scope_version: string };

/** Collects the distinct (resource, scope) pairs of a batch. Relies on decoded spans of one resource sharing one object. */
export function createSourceIndex() {
  const byResource = new Map<object, Map<string, string>>();
  const rows = new Map<string, SourceRow>();

  const idOf = ({ resource, scope }: Source) => {
    const byScope = byResource.get(resource) ?? new Map<string, string>();
    byResource.set(resource, byScope);
    const scopeKey = `${scope.name}\u0000${scope.version}`;
    let id = byScope.get(scopeKey);
    if (!id) {
      id = createHash("sha256")
        .update(JSON.stringify([resource, scopeKey]))
        .digest("base64url");
      byScope.set(scopeKey, id);
      rows.set(id, { id, resource, scope_name: scope.name, scope_version: scope.version });
    }
    return id;
  };

  return { idOf, rows: () => [...rows.values()].sort((a, b) => (a.id < b.id ? -1 : 1)) };
}
