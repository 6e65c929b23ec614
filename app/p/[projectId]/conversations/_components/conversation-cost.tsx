import { CostTotal } from "@/app/p/[projectId]/_components/costs/cost-total";

type Props = { conversation: { cost: number | null; unpricedCallCount: number }; below?: boolean };

/** A conversation's cost, and the number of its unpriced calls. */
export const ConversationCost = ({ conversation: { cost, unpricedCallCount }, below = false }: Props) => (
  <CostTotal usd={cost} unpriced={unpricedCallCount} below={below} />
);
