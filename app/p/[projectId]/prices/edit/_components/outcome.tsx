import { Table, Text } from "@mantine/core";
import { formatUsdExact } from "@/app/_lib/format";
import type { RouterOutputs } from "@/app/_lib/trpc/client";
import { bucketName, SOURCE_WORDS } from "@/app/p/[projectId]/_components/costs/price-words";

type Estimate = RouterOutputs["modelPrices"]["estimate"]["estimate"];

type Props = {
  title: string;
  estimate: Estimate | undefined;
  pending: boolean;
  /** Why there is none. */
  children: string | null;
};

/** A call's cost at one price, bucket by bucket, or why it is unknown. */
export function Outcome({ title, estimate, pending, children }: Props) {
  return (
    <section aria-label={title} aria-busy={pending} style={{ marginBlockStart: "0.75rem" }}>
      <Text component="h3" size="xs" c="dimmed" fw={500} m={0}>
        {title}
      </Text>
      {children !== null ? (
        <Text size="sm">{children}</Text>
      ) : !estimate ? (
        <Text size="sm" c="dimmed">
          …
        </Text>
      ) : !estimate.cost ? (
        <Text size="sm">No price matches this name: its cost would be unknown.</Text>
      ) : (
        <Breakdown cost={estimate.cost} />
      )}
    </section>
  );
}

function Breakdown({ cost }: { cost: NonNullable<Estimate["cost"]> }) {
  return (
    <>
      <Text size="lg" fw={600} my={2}>
        {cost.total === null ? "Unknown" : formatUsdExact(cost.total)}
      </Text>
      <Text size="sm" style={{ overflowWrap: "anywhere" }}>
        Tier <b>{cost.tier.name}</b> of <span className="mono">{cost.model.modelName}</span>,{" "}
        {SOURCE_WORDS[cost.source].toLowerCase()}
      </Text>
      <Table fz="sm" verticalSpacing={2} mt={4} aria-label="Cost by bucket">
        <Table.Tbody>
          {Object.entries(cost.breakdown).map(([bucket, usd]) => (
            <Table.Tr key={bucket}>
              <Table.Td>{bucketName(bucket)}</Table.Td>
              <Table.Td ta="end" className="tabular">
                {usd === null ? "no price" : formatUsdExact(usd)}
                {usd !== null && cost.unpricedDetails.includes(bucket) ? " (no price of its own)" : null}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </>
  );
}
