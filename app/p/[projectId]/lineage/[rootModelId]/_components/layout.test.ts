import { expect, test } from "vitest";
import type { LineageEdge, LineageNode } from "@/server/services/models/lineage/schemas";
import { flowOf, layoutOf } from "./layout";

const node = (id: string, kind: LineageNode["kind"]): LineageNode => ({
  id,
  kind,
  name: id,
  status: null,
  taintedAt: null,
  createdAt: null,
  details: {},
});
const edge = (from: string, type: LineageEdge["type"], to: string): LineageEdge => ({ from, to, type });

const NODES = [
  node("base", "baseModel"),
  node("finding", "finding"),
  node("version", "datasetVersion"),
  node("manifest", "manifest"),
  node("job", "job"),
  node("ckpt", "checkpoint"),
  node("gguf", "artifact"),
  node("dep", "deployment"),
  node("job2", "job"),
  node("manifest2", "manifest"),
  node("ckpt2", "checkpoint"),
];
const EDGES = [
  edge("job", "trained_from", "base"),
  edge("job", "fed_by", "manifest"),
  edge("manifest", "fed_by", "version"),
  edge("version", "fed_by", "finding"),
  edge("ckpt", "trained_from", "job"),
  edge("gguf", "quantized_from", "ckpt"),
  edge("ckpt", "deployed_as", "dep"),
  edge("job2", "continued_from", "ckpt"),
  edge("job2", "fed_by", "manifest2"),
  edge("ckpt2", "trained_from", "job2"),
];

test("every node is to the right of its sources", () => {
  const { placed, lines } = layoutOf(NODES, EDGES);
  const columnOf = (id: string) => placed.find((one) => one.node.id === id)?.column ?? -1;
  expect(lines).toHaveLength(EDGES.length);
  for (const { from, to } of lines) expect(columnOf(from), `${from} → ${to}`).toBeLessThan(columnOf(to));
});

test("the inputs of a later run are placed next to it, not in the first column", () => {
  const { placed } = layoutOf(NODES, EDGES);
  const columnOf = (id: string) => placed.find((one) => one.node.id === id)?.column;
  expect(columnOf("manifest2")).toBe(columnOf("ckpt"));
});

test("no two nodes overlap, and edges to missing nodes are not drawn", () => {
  const { placed, lines } = layoutOf(NODES, [...EDGES, edge("ckpt2", "exported_as", "gone")]);
  expect(new Set(placed.map(({ column, row }) => `${column} ${row}`)).size).toBe(NODES.length);
  expect(lines.some(({ to }) => to === "gone")).toBe(false);
});

test("a cycle does not hang the layout", () => {
  const { placed } = layoutOf(
    [node("a", "job"), node("b", "checkpoint")],
    [edge("a", "continued_from", "b"), edge("b", "trained_from", "a")],
  );
  expect(placed).toHaveLength(2);
});

test("edges flow from source to result, whichever way their type points", () => {
  expect(flowOf([edge("ckpt", "trained_from", "job"), edge("ckpt", "deployed_as", "dep")])).toEqual([
    { from: "job", to: "ckpt", type: "trained_from" },
    { from: "ckpt", to: "dep", type: "deployed_as" },
  ]);
});
