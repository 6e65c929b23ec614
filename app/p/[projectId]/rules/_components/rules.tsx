"use client";
import { Button, Switch, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { ListPage } from "@/app/_components/data-table/list-page";
import type { ListColumn } from "@/app/_components/data-table/types";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { useTRPC } from "@/app/_lib/trpc/client";
import { useKeys } from "@/app/_lib/use-keys";
import { useMay } from "../../_components/access/membership";
import { pageHref } from "../../_components/shell/pages";
import { RuleQuality } from "./quality";
import { type Rule, useToggleRule } from "./use-toggle-rule";

/** The Rules, built in and the project's own: what each looks for, how good it is, and whether it is on. */
export function Rules({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const list = useQuery(trpc.rules.list.queryOptions({ projectId }));
  const may = useMay("diagnostics:write");
  const { toggle, undo, pending } = useToggleRule(projectId);
  useKeys({ u: undo });
  const columns = columnsOf({ projectId, may, pending, onToggle: toggle });
  return (
    <ListPage
      title="Rules"
      buttons={
        <>
          <Button variant="default" component={Link} href={`${pageHref(projectId, "rules")}/evaluators`}>
            Evaluators
          </Button>
          {may ? (
            <Button component={Link} href={`${pageHref(projectId, "rules")}/new`}>
              Describe a Rule
            </Button>
          ) : null}
        </>
      }
      list={list}
      what="Rule"
      columns={columns}
      rows={list.data?.rules ?? []}
      rowId={({ id }) => id}
      rowName={({ name }) => name}
      rowHref={({ id }) => `/p/${projectId}/rules/${encodeURIComponent(id)}`}
      minWidth={340}
      dimmed={({ enabled }) => !enabled}
      empty={
        <EmptyState icon={null} title="No Rules">
          This version has none built in.
        </EmptyState>
      }
    />
  );
}

type Options = { projectId: string; may: boolean; pending: string | null; onToggle: (rule: Rule) => void };

const columnsOf = ({ projectId, may, pending, onToggle }: Options): ListColumn<Rule>[] => [
  {
    id: "enabled",
    header: "On",
    meta: { width: "4rem", controls: true },
    cell: ({ row: { original } }) => (
      <Switch
        size="xs"
        aria-label={`${original.name} is on`}
        checked={original.enabled}
        disabled={!may || pending === original.id}
        onChange={() => onToggle(original)}
      />
    ),
  },
  {
    id: "name",
    header: "Rule",
    meta: { link: true },
    cell: ({ row: { original } }) => (
      <>
        <Text size="sm" fw={500} component="div">
          {original.name}
        </Text>
        <Text size="xs" c="dimmed" component="div" style={{ whiteSpace: "normal" }}>
          {original.summary}
        </Text>
      </>
    ),
  },
  {
    id: "signals",
    header: "Signals on",
    meta: { width: "6rem", align: "end", roomy: true },
    cell: ({ row: { original } }) => (
      <span className="tabular">
        {original.signals.filter(({ enabled }) => enabled).length} of {original.signals.length}
      </span>
    ),
  },
  {
    id: "quality",
    header: "Confidence",
    meta: { width: "13rem", roomy: true },
    cell: ({ row }) => <RuleQuality rule={row.original} />,
  },
  {
    id: "judged",
    header: "Reviewed here",
    meta: { width: "12rem", roomy: true },
    cell: ({ row: { original } }) => <Judged signals={original.signals} />,
  },
  {
    id: "links",
    header: "Open",
    meta: { width: "10rem", roomy: true },
    cell: ({ row: { original } }) => <RuleLinks projectId={projectId} ruleId={original.id} />,
  },
];

/** Findings of this project that people confirmed or dismissed as wrong. */
export function Judged({
  signals,
}: {
  signals: readonly Pick<Rule["signals"][number], "confirmedFindings" | "wrongFindings">[];
}) {
  const sum = (of: "confirmedFindings" | "wrongFindings") => signals.reduce((total, one) => total + one[of], 0);
  const [confirmed, wrong] = [sum("confirmedFindings"), sum("wrongFindings")];
  if (confirmed + wrong === 0)
    return (
      <Text size="sm" c="dimmed" span>
        None yet
      </Text>
    );
  return (
    <span className="tabular" style={{ whiteSpace: "nowrap" }}>
      {confirmed} confirmed · {wrong} wrong
    </span>
  );
}

export const RuleLinks = ({ projectId, ruleId }: { projectId: string; ruleId: string }) => (
  <>
    <Link href={`/p/${projectId}/findings?rule=${encodeURIComponent(ruleId)}`}>Findings</Link>
    {" · "}
    <Link href={`/p/${projectId}/rule-runs?rule=${encodeURIComponent(ruleId)}`}>Runs</Link>
  </>
);
