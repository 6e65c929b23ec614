"use client";
import Link from "next/link";
import { useMemo, useState } from "react";
import type { LineageEdge, LineageNode } from "@/server/services/models/lineage/schemas";
import { layoutOf, type Placed } from "./layout";
import classes from "./lineage.module.css";
import { KINDS, nodeHref, statusWords } from "./node-words";

const NODE_W = 208;
const NODE_H = 56;
const GAP_X = 56;
const GAP_Y = 16;
const MARGIN = 16;

const xOf = ({ column }: Placed) => MARGIN + column * (NODE_W + GAP_X);
const yOf = ({ row }: Placed) => MARGIN + row * (NODE_H + GAP_Y);

type Props = { projectId: string; nodes: readonly LineageNode[]; edges: readonly LineageEdge[] };

/** The lineage drawn from left to right. A node's connections are highlighted while it has the focus. */
export function LineageGraph({ projectId, nodes, edges }: Props) {
  const { placed, lines, columns, rows } = useMemo(() => layoutOf(nodes, edges), [nodes, edges]);
  const [focused, setFocused] = useState<string | null>(null);
  const at = new Map(placed.map((one) => [one.node.id, one]));
  const width = 2 * MARGIN + columns * NODE_W + Math.max(0, columns - 1) * GAP_X;
  const height = 2 * MARGIN + rows * NODE_H + Math.max(0, rows - 1) * GAP_Y;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
    <section className={classes.graph} tabIndex={0} aria-label="Lineage, scrollable">
      <div className={classes.canvas} style={{ inlineSize: width, blockSize: height }}>
        <svg width={width} height={height} className={classes.lines} aria-hidden>
          <title>Connections</title>
          {lines.map(({ from, to, type }) => {
            const [source, target] = [at.get(from), at.get(to)];
            if (!source || !target) return null;
            const [x1, y1] = [xOf(source) + NODE_W, yOf(source) + NODE_H / 2];
            const [x2, y2] = [xOf(target), yOf(target) + NODE_H / 2];
            const bend = Math.max(GAP_X / 2, (x2 - x1) / 2);
            return (
              <path
                key={`${from} ${to} ${type}`}
                data-focused={focused === from || focused === to || undefined}
                d={`M${x1},${y1} C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2}`}
              />
            );
          })}
        </svg>
        <ul className={classes.nodes}>
          {placed.map((one) => (
            <li
              key={one.node.id}
              style={{ insetInlineStart: xOf(one), insetBlockStart: yOf(one), inlineSize: NODE_W, blockSize: NODE_H }}
              onFocus={() => setFocused(one.node.id)}
              onBlur={() => setFocused(null)}
              onMouseEnter={() => setFocused(one.node.id)}
              onMouseLeave={() => setFocused(null)}
            >
              <NodeBox href={nodeHref(projectId, one.node, edges)} node={one.node} />
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}

function NodeBox({ href, node }: { href: string | null; node: LineageNode }) {
  const tainted = node.taintedAt !== null;
  const content = (
    <>
      <span className={classes.kind}>
        {KINDS[node.kind]}
        {node.status === null ? "" : ` · ${statusWords(node.status)}`}
      </span>
      <span className={`${classes.name} clip`} dir="auto" title={node.name}>
        {node.name}
      </span>
      {tainted ? <span className={classes.taint}>Trained on deleted data</span> : null}
    </>
  );
  return href === null ? (
    <div className={classes.node} data-kind={node.kind} data-tainted={tainted || undefined}>
      {content}
    </div>
  ) : (
    <Link href={href} className={classes.node} data-kind={node.kind} data-tainted={tainted || undefined}>
      {content}
    </Link>
  );
}
