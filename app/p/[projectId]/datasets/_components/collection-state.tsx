import { Dot } from "@/app/_components/values/dot";
import type { Dataset } from "@/server/services/datasets/datasets/schemas";

/** Shows whether a Dataset collects by itself. */
export const CollectionState = ({ dataset: { collectionEnabled } }: { dataset: Dataset }) =>
  collectionEnabled ? (
    <Dot color="var(--state-ok)">Collecting</Dot>
  ) : (
    <Dot color="var(--severity-info)" hollow>
      Off
    </Dot>
  );
