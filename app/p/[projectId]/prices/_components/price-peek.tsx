"use client";
import { Button, DataList, Group, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import Link from "next/link";
import { PeekPanel } from "@/app/_components/layout/peek-panel";
import { Fact } from "@/app/_components/values/fact";
import { IdText } from "@/app/_components/values/id-text";
import { VENDOR_WORDS } from "@/app/p/[projectId]/_components/costs/price-words";
import type { PriceDefinition } from "@/server/services/pricing/schemas";
import { useMay } from "../../_components/access/membership";
import { PriceSource } from "./price-source";
import { RemovePrice } from "./remove-price";
import { Tiers } from "./tiers";
import { VersionHistory } from "./version-history";
import { editHref } from "./view";

type Props = {
  projectId: string;
  modelPriceId: string;
  /** As in the list; absent if not in force, or not loaded yet. */
  price: PriceDefinition | undefined;
  onClose: () => void;
};

/** One price: its tiers, actions and history. */
export function PricePeek({ projectId, modelPriceId, price, onClose }: Props) {
  const may = useMay("model-pricing:write");
  return (
    <PeekPanel label="Price" title={price?.modelName ?? modelPriceId} onClose={onClose}>
      <Stack p="md" gap="lg">
        {price ? (
          <>
            <DataList size="sm" gap={6} labelWidth={110}>
              <Fact label="Price">
                <PriceSource source={price.source} />
              </Fact>
              <Fact label="Vendor">{VENDOR_WORDS[price.provider]}</Fact>
              <Fact label="Pattern" mono>
                {price.matchPattern}
              </Fact>
              <Fact label="ID">
                <IdText id={price.id} />
              </Fact>
            </DataList>
            {may ? <Actions projectId={projectId} price={price} onRemoved={onClose} /> : null}
            <Tiers tiers={price.pricingTiers} />
          </>
        ) : (
          <Text size="sm" c="dimmed">
            No longer in effect: calls that were priced by it keep their cost.
          </Text>
        )}
        <VersionHistory projectId={projectId} modelPriceId={modelPriceId} />
      </Stack>
    </PeekPanel>
  );
}

function Actions({
  projectId,
  price,
  onRemoved,
}: {
  projectId: string;
  price: PriceDefinition;
  onRemoved: () => void;
}) {
  const [removing, remove] = useDisclosure(false);
  return (
    <Group gap="xs">
      <Button
        component={Link}
        href={editHref(projectId, price.editable ? { id: price.id } : { base: price.id })}
        variant="default"
      >
        {price.editable ? "Edit" : "Override"}
      </Button>
      {price.editable ? (
        <Button variant="default" onClick={remove.open}>
          {price.resettable ? "Reset…" : "Delete…"}
        </Button>
      ) : (
        <Text size="xs" c="dimmed">
          To change a built-in price for this project, override it.
        </Text>
      )}
      <RemovePrice
        projectId={projectId}
        price={price}
        opened={removing}
        onClose={remove.close}
        onRemoved={() => !price.resettable && onRemoved()}
      />
    </Group>
  );
}
