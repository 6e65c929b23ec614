import { Text } from "@mantine/core";
import { Money } from "@/app/_components/values/money";
import { plural } from "@/app/_lib/format";

type Props = {
  /** The known sum in US dollars. */
  usd: number | null | undefined;
  /** The same as an exact decimal. */
  exact?: string | null | undefined;
  /** Calls without a known cost, which are not in the sum. */
  unpriced: number;
  note?: string | undefined;
};

/** A known sum, as "at least" if it is incomplete; for places that show the number of unpriced calls next to it. */
export const AtLeast = ({ unpriced, ...sum }: Props) => (
  <>
    {unpriced > 0 && sum.usd != null ? "at least " : ""}
    <Money {...sum} />
  </>
);

/** A total with the number of unpriced calls, after it or in a line below. */
export function CostTotal({ below = false, ...total }: Props & { below?: boolean }) {
  if (total.unpriced === 0) return <AtLeast {...total} />;
  const left = plural(total.unpriced, "unpriced call");
  if (!below)
    return (
      <>
        <AtLeast {...total} />, {left}
      </>
    );
  return (
    <>
      {total.usd == null ? "" : "≥ "}
      <Money {...total} />
      <Text size="xs" c="dimmed" lh={1.2} className="tabular" style={{ whiteSpace: "normal" }}>
        {left}
      </Text>
    </>
  );
}
