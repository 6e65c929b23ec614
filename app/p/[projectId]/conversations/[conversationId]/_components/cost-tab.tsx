"use client";
import { Table, Text } from "@mantine/core";
import { AtLeast } from "@/app/_components/cost-total";
import { Money } from "@/app/_components/money";
import { formatCount, plural } from "@/app/_lib/format";
import classes from "./cost-tab.module.css";
import { ModelCallRows } from "./model-call-rows";
import type { ConversationData } from "./transcript";

/** What each model call used and cost, by which price: the arithmetic is on the page. */
export function CostTab({ conversation }: { conversation: ConversationData }) {
  const { modelCalls } = conversation;
  const priced = modelCalls.filter((call) => call.cost?.total != null);
  const unpriced = modelCalls.filter((call) => call.cost?.total == null);
  const reported = modelCalls.filter((call) => call.reportedCost !== null);
  const names = [...new Set(unpriced.map((call) => call.responseModel ?? call.requestedModel ?? "no model named"))];
  return (
    <div className={classes.root}>
      <div className={classes.sums}>
        <div>
          <div className={classes.label}>Cost</div>
          <div className={classes.sum}>
            <AtLeast usd={conversation.cost} unpriced={unpriced.length} />
          </div>
          <Text size="xs" c="dimmed">
            of {formatCount(priced.length)} of {plural(modelCalls.length, "model call")}
          </Text>
        </div>
        {unpriced.length > 0 ? (
          <div>
            <div className={classes.label}>Without a known cost</div>
            <div className={classes.sum}>{formatCount(unpriced.length)}</div>
            <Text size="xs" c="dimmed" className="mono">
              {names.join(", ")}
            </Text>
          </div>
        ) : null}
        {reported.length > 0 ? (
          <div>
            <div className={classes.label}>Reported by the client</div>
            <div className={classes.sum}>
              <Money usd={reported.reduce((sum, call) => sum + (call.reportedCost ?? 0), 0)} />
            </div>
            <Text size="xs" c="dimmed">
              of {plural(reported.length, "call")}; never added to ours
            </Text>
          </div>
        ) : null}
      </div>
      {modelCalls.length === 0 ? (
        <Text c="dimmed" p="md">
          No span of this conversation is a model call.
        </Text>
      ) : (
        <Table.ScrollContainer minWidth={860}>
          <Table className={classes.table} aria-label="Model calls">
            <Table.Thead>
              <Table.Tr>
                <Table.Th w={36}>
                  <span className={classes.hidden}>Breakdown</span>
                </Table.Th>
                <Table.Th>Model</Table.Th>
                <Table.Th>When</Table.Th>
                <Table.Th ta="end">Took</Table.Th>
                <Table.Th>Usage</Table.Th>
                <Table.Th>Tier</Table.Th>
                <Table.Th>Price from</Table.Th>
                <Table.Th ta="end">Reported</Table.Th>
                <Table.Th ta="end">Cost</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {modelCalls.map((call) => (
                <ModelCallRows key={`${call.traceId}/${call.spanId}`} call={call} />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </div>
  );
}
