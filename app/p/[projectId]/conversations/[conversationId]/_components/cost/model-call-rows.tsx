"use client";
import { ActionIcon, Table } from "@mantine/core";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { Ago } from "@/app/_components/values/ago";
import { Money } from "@/app/_components/values/money";
import { formatDuration, UNKNOWN } from "@/app/_lib/format";
import { bucketName, SOURCE_WORDS } from "@/app/p/[projectId]/_components/costs/price-words";
import { Units } from "@/app/p/[projectId]/_components/costs/units";
import { usageNames } from "@/app/p/[projectId]/_components/costs/usage-words";
import type { ModelCall } from "@/server/services/telemetry/schemas";
import classes from "./cost-tab.module.css";
import { ModelCallDetail } from "./model-call-detail";

type Props = { projectId: string; call: ModelCall; open: boolean; onToggle: () => void };

/** A model call as a row, with its arithmetic in the row below when opened. */
export function ModelCallRows({ projectId, call, open, onToggle }: Props) {
  const model = call.responseModel ?? call.requestedModel;
  return (
    <>
      <Table.Tr>
        <Table.Td>
          <ActionIcon
            size="sm"
            aria-expanded={open}
            aria-label={open ? "Close the breakdown" : "Open the breakdown"}
            onClick={onToggle}
          >
            {open ? <IconChevronDown size={14} aria-hidden /> : <IconChevronRight size={14} aria-hidden />}
          </ActionIcon>
        </Table.Td>
        <Table.Td>
          <div className="mono">{model ?? UNKNOWN}</div>
          {call.requestedModel !== null && call.requestedModel !== model ? (
            <div className={classes.dim}>
              requested <span className="mono">{call.requestedModel}</span>
            </div>
          ) : null}
          {call.status === "error" ? (
            <div style={{ color: "var(--mantine-color-error)" }}>
              {[call.error?.type, call.error?.message].filter(Boolean).join(": ") || "Failed"}
            </div>
          ) : null}
        </Table.Td>
        <Table.Td>
          <Ago at={call.startedAt} />
        </Table.Td>
        <Table.Td ta="end" className="tabular" style={{ whiteSpace: "nowrap" }}>
          {formatDuration(call.endedAt - call.startedAt)}
        </Table.Td>
        <Table.Td>
          {call.usage === null ? (
            <span title="the span reports no usage">{UNKNOWN}</span>
          ) : (
            <div className={classes.buckets}>
              {usageNames(call.usage).map((name) => (
                <span key={name}>
                  <Units count={call.usage?.[name] ?? 0} /> <span className={classes.dim}>{bucketName(name)}</span>
                </span>
              ))}
            </div>
          )}
        </Table.Td>
        <Table.Td>{call.cost?.tier.name ?? UNKNOWN}</Table.Td>
        <Table.Td>
          {call.cost ? SOURCE_WORDS[call.cost.source] : <span title="no price is known for this model">No price</span>}
        </Table.Td>
        <Table.Td ta="end">
          <Money usd={call.reportedCost} />
        </Table.Td>
        <Table.Td ta="end">
          <Money usd={call.cost?.total} />
        </Table.Td>
      </Table.Tr>
      {open ? (
        <Table.Tr>
          <Table.Td />
          <Table.Td colSpan={8}>
            <ModelCallDetail projectId={projectId} call={call} />
          </Table.Td>
        </Table.Tr>
      ) : null}
    </>
  );
}
