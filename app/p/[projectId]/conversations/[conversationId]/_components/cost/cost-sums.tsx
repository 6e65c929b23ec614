import { Text } from "@mantine/core";
import { Money } from "@/app/_components/values/money";
import { formatCount, plural } from "@/app/_lib/format";
import { AtLeast } from "@/app/p/[projectId]/_components/costs/cost-total";
import type { ModelCall } from "@/server/services/telemetry/schemas";
import type { ConversationData } from "../transcript/transcript";
import classes from "./cost-tab.module.css";

type Props = {
  conversation: ConversationData;
  /** The loaded calls: all of them, for nearly every conversation. */
  modelCalls: readonly ModelCall[];
};

/** The conversation's cost, its unpriced calls, and the cost reported by the client. */
export function CostSums({ conversation, modelCalls }: Props) {
  const { modelCallCount, unpricedCallCount } = conversation;
  const unpriced = modelCalls.filter((call) => call.cost?.total == null);
  const reported = modelCalls.filter((call) => call.reportedCost !== null);
  const names = [
    ...new Set(unpriced.map((call) => call.responseModel ?? call.requestedModel ?? "model not specified")),
  ];
  return (
    <div className={classes.sums}>
      <div>
        <div className={classes.label}>Cost</div>
        <div className={classes.sum}>
          <AtLeast usd={conversation.cost} unpriced={unpricedCallCount} />
        </div>
        <Text size="xs" c="dimmed">
          {formatCount(modelCallCount - unpricedCallCount)} of {plural(modelCallCount, "call")} priced
        </Text>
      </div>
      {unpricedCallCount > 0 ? (
        <div>
          <div className={classes.label}>Unpriced calls</div>
          <div className={classes.sum}>{formatCount(unpricedCallCount)}</div>
          <Text size="xs" c="dimmed" className="mono">
            {names.join(", ")}
            {unpriced.length < unpricedCallCount ? " and perhaps others" : ""}
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
            of {plural(reported.length, "call")}
            {modelCalls.length >= modelCallCount ? "" : ` among the first ${formatCount(modelCalls.length)}`}; never
            added to the total
          </Text>
        </div>
      ) : null}
    </div>
  );
}
