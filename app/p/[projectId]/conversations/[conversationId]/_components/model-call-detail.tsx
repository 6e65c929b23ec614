import { DataList } from "@mantine/core";
import { Fact } from "@/app/_components/fact";
import { IdText } from "@/app/_components/id-text";
import { JsonView } from "@/app/_components/json-view";
import { Money } from "@/app/_components/money";
import { formatCount, formatPerMillion, UNKNOWN } from "@/app/_lib/format";
import { bucketName } from "@/app/_lib/price-words";
import type { ModelCall } from "@/server/services/telemetry/schemas";
import classes from "./cost-tab.module.css";

/** Usage × price = cost, bucket by bucket, and where each number came from. */
export function ModelCallDetail({ call }: { call: ModelCall }) {
  const { cost, usage } = call;
  const buckets = Object.keys(cost?.breakdown ?? usage ?? {});
  return (
    <div className={classes.detail}>
      <div>
        <table className={`${classes.breakdown} tabular`}>
          <thead>
            <tr>
              <th scope="col">Bucket</th>
              <th scope="col">Units</th>
              <th scope="col">Price</th>
              <th scope="col">Cost</th>
            </tr>
          </thead>
          <tbody>
            {buckets.map((bucket) => (
              <tr key={bucket}>
                <td>{bucketName(bucket)}</td>
                <td>{formatCount(usage?.[bucket])}</td>
                <td>{cost?.unpriced.includes(bucket) ? "no price" : formatPerMillion(cost?.prices[bucket])}</td>
                <td>
                  <Money usd={cost?.breakdown[bucket]} />
                </td>
              </tr>
            ))}
            {buckets.length === 0 ? (
              <tr>
                <td colSpan={4}>The span tells no usage.</td>
              </tr>
            ) : null}
          </tbody>
        </table>
        {cost && cost.unpriced.length > 0 ? (
          <p>No price for {cost.unpriced.map(bucketName).join(", ")}: so the total is unknown, not zero.</p>
        ) : null}
        {cost ? null : <p>No price definition matches this model: the cost is unknown, not zero.</p>}
      </div>
      <div>
        <DataList size="xs" gap={4} labelWidth={110}>
          <Fact label="Priced as">{cost ? `${cost.model.provider} / ${cost.model.modelName}` : UNKNOWN}</Fact>
          <Fact label="Prices of" mono>
            {cost?.pricesVersion ?? UNKNOWN}
          </Fact>
          <Fact label="Provider sent" mono>
            {call.provider ?? UNKNOWN}
          </Fact>
          <Fact label="Usage read by" mono>
            {call.usageRule ?? UNKNOWN}
          </Fact>
          <Fact label="Finish reason" mono>
            {call.finishReasons.join(", ") || UNKNOWN}
          </Fact>
          <Fact label="Span">
            <IdText id={call.spanId} what="span id" />
          </Fact>
        </DataList>
        {call.rawUsage ? <JsonView value={call.rawUsage} label="usage as sent" /> : null}
      </div>
    </div>
  );
}
