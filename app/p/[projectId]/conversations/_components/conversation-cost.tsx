import { Money } from "@/app/_components/money";
import { plural } from "@/app/_lib/format";

type Props = { conversation: { cost: number | null; unpricedCallCount: number } };

/** The known cost; a plus where calls without a price come on top. */
export function ConversationCost({ conversation: { cost, unpricedCallCount } }: Props) {
  if (cost === null || unpricedCallCount === 0) return <Money usd={cost} />;
  const note = `and ${plural(unpricedCallCount, "model call")} without a known price`;
  return (
    <span title={note}>
      <Money usd={cost} note={note} />+
    </span>
  );
}
