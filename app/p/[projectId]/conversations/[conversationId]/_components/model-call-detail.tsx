import { DataList } from "@mantine/core";
import { IdText } from "@/app/_components/id-text";
import { JsonView } from "@/app/_components/json-view";
import { Money } from "@/app/_components/money";
import { formatCount, formatPerMillion, UNKNOWN } from "@/app/_lib/format";
import type { ModelCall } from "@/server/services/telemetry/schemas";
import classes from "./cost-tab.module.css";
import { bucketName } from "./facts";

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
          <Fact label="Priced as" value={cost ? `${cost.model.provider} / ${cost.model.modelName}` : UNKNOWN} />
          <Fact label="Prices of" value={cost?.pricesVersion ?? UNKNOWN} mono />
          <Fact label="Provider sent" value={call.provider ?? UNKNOWN} mono />
          <Fact label="Usage read by" value={call.usageRule ?? UNKNOWN} mono />
          <Fact label="Finish reason" value={call.finishReasons.join(", ") || UNKNOWN} mono />
          <DataList.Item>
            <DataList.ItemLabel>Span</DataList.ItemLabel>
            <DataList.ItemValue miw={0}>
              <IdText id={call.spanId} what="span id" />
            </DataList.ItemValue>
          </DataList.Item>
        </DataList>
        {call.rawUsage ? <JsonView value={call.rawUsage} label="usage as sent" /> : null}
      </div>
    </div>
  );
}

function Fact({ label, value, mono = false }: { label: string; value: string; mono?: boolean }) {
  return (
    <DataList.Item>
      <DataList.ItemLabel>{label}</DataList.ItemLabel>
      <DataList.ItemValue className={mono ? "mono" : undefined}>{value}</DataList.ItemValue>
    </DataList.Item>
  );
}
