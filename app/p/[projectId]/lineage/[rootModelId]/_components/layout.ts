import type { LineageEdge, LineageNode } from "@/server/services/models/lineage/schemas";

export type Placed = { node: LineageNode; column: number; row: number };
type Line = { from: string; to: string; type: LineageEdge["type"] };

/** Edge types that point at the source; in the drawing, everything flows from its source. */
const POINTS_BACK: ReadonlySet<LineageEdge["type"]> = new Set([
  "trained_from",
  "continued_from",
  "merged_from",
  "quantized_from",
  "fed_by",
]);

/** Returns edges in the direction of time: from a source to what was made of it. */
export const flowOf = (edges: readonly LineageEdge[]): Line[] =>
  edges.map(({ from, to, type }) => (POINTS_BACK.has(type) ? { from: to, to: from, type } : { from, to, type }));

const grouped = (lines: readonly Line[], by: "from" | "to") => {
  const groups = new Map<string, string[]>();
  for (const line of lines)
    groups.set(line[by], [...(groups.get(line[by]) ?? []), line[by === "from" ? "to" : "from"]]);
  return groups;
};

/** Returns the column of each node: one after its last source; inputs of a training are moved next to what they feed. */
function columnsOf(nodes: readonly LineageNode[], lines: readonly Line[]): Map<string, number> {
  const sources = grouped(lines, "to");
  const targets = grouped(lines, "from");
  const columns = new Map<string, number>();
  const visiting = new Set<string>();
  const columnOf = (id: string): number => {
    const known = columns.get(id);
    // A cycle would be an error in the data; it must not hang the page.
    if (known !== undefined || visiting.has(id)) return known ?? 0;
    visiting.add(id);
    const column = 1 + Math.max(-1, ...(sources.get(id) ?? []).map(columnOf));
    visiting.delete(id);
    columns.set(id, column);
    return column;
  };
  for (const { id } of nodes) columnOf(id);
  // From right to left, so that a chain of inputs moves as a whole.
  const feeds = nodes.filter(({ kind }) => FEEDS.has(kind));
  for (const { id } of feeds.toSorted((a, b) => (columns.get(b.id) ?? 0) - (columns.get(a.id) ?? 0))) {
    const next = (targets.get(id) ?? []).map((one) => columns.get(one) ?? 0);
    if (next.length > 0) columns.set(id, Math.max(0, Math.min(...next) - 1));
  }
  return columns;
}

/** Nodes that are only inputs of trainings. */
const FEEDS: ReadonlySet<LineageNode["kind"]> = new Set(["baseModel", "finding", "datasetVersion", "manifest"]);

/** Places the nodes in columns, each column in the order of its sources, so that few lines cross. */
export function layoutOf(nodes: readonly LineageNode[], edges: readonly LineageEdge[]) {
  const known = new Set(nodes.map(({ id }) => id));
  const lines = flowOf(edges).filter(({ from, to }) => known.has(from) && known.has(to));
  const columns = columnsOf(nodes, lines);
  const sources = grouped(lines, "to");
  const byColumn = new Map<number, LineageNode[]>();
  for (const node of nodes) {
    const column = columns.get(node.id) ?? 0;
    byColumn.set(column, [...(byColumn.get(column) ?? []), node]);
  }
  const rows = new Map<string, number>();
  const placed: Placed[] = [];
  for (const column of [...byColumn.keys()].sort((a, b) => a - b)) {
    const weightOf = ({ id }: LineageNode) => {
      const before = (sources.get(id) ?? []).flatMap((one) => rows.get(one) ?? []);
      return before.length === 0 ? 0 : before.reduce((sum, row) => sum + row, 0) / before.length;
    };
    const ordered = (byColumn.get(column) ?? []).toSorted(
      (a, b) => weightOf(a) - weightOf(b) || (a.createdAt ?? 0) - (b.createdAt ?? 0) || a.id.localeCompare(b.id),
    );
    ordered.forEach((node, row) => {
      rows.set(node.id, row);
      placed.push({ node, column, row });
    });
  }
  return {
    placed,
    lines,
    columns: Math.max(0, ...placed.map(({ column }) => column + 1)),
    rows: Math.max(0, ...placed.map(({ row }) => row + 1)),
  };
}
