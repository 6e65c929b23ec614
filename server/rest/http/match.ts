import type { Method } from "@/server/operations/row";
import { ServiceError } from "@/server/platform/errors";
import type { Operation } from "../operation";

type Node = {
  fixed: Map<string, Node>;
  parameter?: { name: string; node: Node };
  operations: Map<Method, Operation>;
};

export type Match = {
  operations: ReadonlyMap<Method, Operation>;
  params: Record<string, string>;
};

const newNode = (): Node => ({ fixed: new Map(), operations: new Map() });
const segmentsOf = (path: string) => path.split("/").slice(1);

function stepInto(node: Node, segment: string): Node {
  if (segment.startsWith(":")) {
    node.parameter ??= { name: segment.slice(1), node: newNode() };
    if (node.parameter.name !== segment.slice(1)) throw new Error(`${segment} has a different name in another path.`);
    return node.parameter.node;
  }
  const known = node.fixed.get(segment) ?? newNode();
  node.fixed.set(segment, known);
  return known;
}

/** Percent-decodes a segment; throws `invalid` for a broken escape. */
function decoded(segment: string) {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new ServiceError("invalid", "The path has invalid percent-encoding or is not UTF-8.");
  }
}

function find(node: Node, segments: readonly string[], at = 0): Match | undefined {
  if (at === segments.length) return node.operations.size ? { operations: node.operations, params: {} } : undefined;
  const segment = segments[at] as string;
  // A fixed name wins over a parameter, with backtracking to the parameter.
  const fixed = node.fixed.get(segment);
  const found = fixed && find(fixed, segments, at + 1);
  if (found) return found;
  if (!node.parameter || segment === "") return undefined;
  const below = find(node.parameter.node, segments, at + 1);
  if (below) below.params[node.parameter.name] = decoded(segment);
  return below;
}

/** Returns the matcher of a table; throws when two operations share a method and path. */
export function matcher(operations: readonly Operation[]) {
  const root = newNode();
  for (const operation of operations) {
    const node = segmentsOf(operation.path).reduce(stepInto, root);
    if (node.operations.has(operation.method))
      throw new Error(`${operation.method} ${operation.path} is defined twice.`);
    node.operations.set(operation.method, operation);
  }
  return (pathname: string) => find(root, segmentsOf(pathname));
}
