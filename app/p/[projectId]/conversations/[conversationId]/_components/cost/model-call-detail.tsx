import { DataList } from "@mantine/core";
import { Fact } from "@/app/_components/values/fact";
import { IdText } from "@/app/_components/values/id-text";
import { JsonView } from "@/app/_components/values/json-view";
import { Money } from "@/app/_components/values/money";
import { UNKNOWN } from "@/app/_lib/format";
import { bucketName, formatPrice } from "@/app/p/[projectId]/_components/costs/price-words";
import { formatUnits, usageNames } from "@/app/p/[projectId]/_components/costs/usage-words";
import { PromptLink } from "@/app/p/[projectId]/_components/prompts/prompt-link";
import type { ModelCall } from "@/server/services/telemetry/schemas";
import classes from "./cost-tab.module.css";

type Cost = NonNullable<ModelCall["cost"]>;

function priceOf(cost: Cost, name: string) {
  const price = cost.prices[name];
  if (price !== undefined) return formatPrice(name, price);
  return usedNothing(cost, name) ? UNKNOWN : "no price";
}

/** A count of zero contributes no cost. */
const usedNothing = (cost: Cost, name: string) => !(name in cost.breakdown);

/** Details for which the definition has no price, and what they cost instead. */
function UnpricedDetails({ cost }: { cost: Cost }) {
  const covered = cost.unpricedDetails.filter((name) => cost.prices[name] !== undefined);
  const left = cost.unpricedDetails.filter((name) => cost.prices[name] === undefined);
  return (
    <>
      {covered.length > 0 ? (
        <p>No separate price for {covered.map(bucketName).join(", ")}: priced as part of the parent bucket.</p>
      ) : null}
      {left.length > 0 ? <p>No price for {left.map(bucketName).join(", ")}: not in the total.</p> : null}
    </>
  );
}

/** Usage × price = cost, bucket by bucket, and the source of each number. */
export function ModelCallDetail({ projectId, call }: { projectId: string; call: ModelCall }) {
  const { cost, usage } = call;
  const names = usageNames(usage ?? {});
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
            {names.map((name) => (
              <tr key={name}>
                <td>{bucketName(name)}</td>
                <td>{formatUnits(usage?.[name] ?? 0)}</td>
                <td>{cost ? priceOf(cost, name) : UNKNOWN}</td>
                <td>
                  <Money usd={cost?.breakdown[name]} />
                </td>
              </tr>
            ))}
            {names.length === 0 ? (
              <tr>
                <td colSpan={4}>The span reports no usage.</td>
              </tr>
            ) : null}
          </tbody>
        </table>
        {cost && cost.unpriced.length > 0 ? (
          <p>No price for {cost.unpriced.map(bucketName).join(", ")}, so the total is unknown, not zero.</p>
        ) : null}
        {cost ? <UnpricedDetails cost={cost} /> : null}
        {cost ? null : <p>No price definition matches this model: the cost is unknown, not zero.</p>}
      </div>
      <div>
        <DataList size="xs" gap={4} labelWidth={110}>
          <Fact label="Priced as">{cost ? `${cost.model.provider} / ${cost.model.modelName}` : UNKNOWN}</Fact>
          <Fact label="Prices from" mono>
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
          {call.prompt ? (
            <Fact label="Prompt">
              <PromptLink projectId={projectId} prompt={call.prompt} />
            </Fact>
          ) : null}
          <Fact label="Span">
            <IdText id={call.spanId} what="span id" />
          </Fact>
        </DataList>
        {call.rawUsage ? <JsonView value={call.rawUsage} label="usage as sent" /> : null}
      </div>
    </div>
  );
}
