import { Table, Text } from "@mantine/core";
import { TableScroll } from "@/app/_components/layout/table-scroll";
import { bucketName, conditionWords, formatPrice } from "@/app/p/[projectId]/_components/costs/price-words";
import type { PricingTier } from "@/server/services/pricing/schemas";

/** Tiers in order of evaluation; the default comes last. */
const byPriority = (tiers: readonly PricingTier[]) =>
  [...tiers].sort((a, b) => Number(a.isDefault) - Number(b.isDefault) || a.priority - b.priority);

/** A definition's tiers side by side, bucket by bucket. */
export function Tiers({ tiers }: { tiers: readonly PricingTier[] }) {
  const shown = byPriority(tiers);
  const buckets = [...new Set(shown.flatMap(({ prices }) => Object.keys(prices)))].sort();
  return (
    <div>
      <Text component="h3" size="xs" c="dimmed" fw={500} m={0} mb={4}>
        Tiers
      </Text>
      {shown.length > 1 ? (
        <Text size="xs" c="dimmed" component="ol" ps="md" m={0} mb="xs">
          {shown.map((tier) => (
            <li key={tier.id} style={{ overflowWrap: "anywhere" }}>
              <b>{tier.name}</b>
              {tier.isDefault ? ": every other call" : `: ${tier.conditions.map(conditionWords).join(" and ")}`}
            </li>
          ))}
        </Text>
      ) : null}
      <TableScroll label="Prices of the tiers" minWidth={160 + shown.length * 110}>
        <Table fz="sm" verticalSpacing={4} aria-label="Prices by bucket and tier">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Bucket</Table.Th>
              {shown.map((tier) => (
                <Table.Th key={tier.id} ta="end">
                  {tier.name}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {buckets.map((bucket) => (
              <Table.Tr key={bucket}>
                <Table.Td title={bucket}>{bucketName(bucket)}</Table.Td>
                {shown.map(({ id, prices }) => {
                  const price = prices[bucket];
                  return (
                    <Table.Td key={id} ta="end" className="tabular" style={{ whiteSpace: "nowrap" }}>
                      {price === undefined ? (
                        <Text span size="xs" c="dimmed">
                          no price
                        </Text>
                      ) : (
                        <span title={`$${price} per unit`}>{formatPrice(bucket, price)}</span>
                      )}
                    </Table.Td>
                  );
                })}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </TableScroll>
    </div>
  );
}
