import { Text } from "@mantine/core";
import { Money } from "@/app/_components/values/money";
import { plural } from "@/app/_lib/format";

type Props = {
  /** The known sum, US dollars. */
  usd: number | null | undefined;
  /** The same as a decimal with every digit. */
  exact?: string | null | undefined;
  /** Calls without a known cost, which the sum leaves out. */
  unpriced: number;
  note?: string | undefined;
};

/** A known sum, as "at least" where it leaves calls out; for where their number is told beside it. */
export const AtLeast = ({ unpriced, ...sum }: Props) => (
  <>
    {unpriced > 0 && sum.usd != null ? "at least " : ""}
    <Money {...sum} />
  </>
);

/** A total with the number of calls that it leaves out, after it or in a line below. */
export function CostTotal({ below = false, ...total }: Props & { below?: boolean }) {
  if (total.unpriced === 0) return <AtLeast {...total} />;
  const left = plural(total.unpriced, "unpriced call");
  return (
    <>
      <AtLeast {...total} />
      {below ? (
        <Text size="xs" c="dimmed" lh={1.2} className="tabular">
          {left}
        </Text>
      ) : (
        `, ${left}`
      )}
    </>
  );
}
