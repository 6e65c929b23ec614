import { Table } from "@mantine/core";
import Link from "next/link";
import { TableScroll } from "@/app/_components/layout/table-scroll";
import { Ago } from "@/app/_components/values/ago";
import { Dot } from "@/app/_components/values/dot";
import { Unknown } from "@/app/_components/values/unknown";
import type { LineageEdge, LineageNode } from "@/server/services/models/lineage/schemas";
import { layoutOf } from "./layout";
import classes from "./lineage.module.css";
import { EDGES, KINDS, nodeHref, statusWords } from "./node-words";

type Props = { projectId: string; nodes: readonly LineageNode[]; edges: readonly LineageEdge[] };

/** The graph's contents as rows: each node with its sources and what was made of it. */
export function LineageTable({ projectId, nodes, edges }: Props) {
  const { placed, lines } = layoutOf(nodes, edges);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const sorted = placed.toSorted((a, b) => a.column - b.column || a.row - b.row);
  return (
    <div className={classes.table}>
      <TableScroll minWidth={720} label="Lineage">
        <Table aria-label="Lineage">
          <Table.Thead>
            <Table.Tr>
              <Table.Th pl="md">Kind</Table.Th>
              <Table.Th>Name</Table.Th>
              <Table.Th>State</Table.Th>
              <Table.Th>Became</Table.Th>
              <Table.Th ta="end" pr="md">
                Since
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {sorted.map(({ node }) => (
              <Table.Tr key={node.id}>
                <Table.Td pl="md">{KINDS[node.kind]}</Table.Td>
                <Table.Td>
                  <NodeLink href={nodeHref(projectId, node, edges)} node={node} />
                </Table.Td>
                <Table.Td>
                  {statusWords(node.status)}
                  {node.taintedAt === null ? null : (
                    <div>
                      <Dot color="var(--severity-high)">Trained on deleted data</Dot>
                    </div>
                  )}
                </Table.Td>
                <Table.Td>
                  {lines
                    .filter(({ from }) => from === node.id)
                    .map(({ to, type }) => {
                      const target = byId.get(to);
                      return target === undefined ? null : (
                        <div key={`${to} ${type}`}>
                          {EDGES[type]} <NodeLink href={nodeHref(projectId, target, edges)} node={target} />
                        </div>
                      );
                    })}
                </Table.Td>
                <Table.Td ta="end" pr="md">
                  {node.createdAt === null ? <Unknown /> : <Ago at={node.createdAt} />}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </TableScroll>
    </div>
  );
}

function NodeLink({ href, node }: { href: string | null; node: LineageNode }) {
  return href === null ? (
    <span dir="auto">{node.name}</span>
  ) : (
    <Link href={href} dir="auto">
      {node.name}
    </Link>
  );
}
