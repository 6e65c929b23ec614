import { CostTotal } from "@/app/p/[projectId]/_components/costs/cost-total";

type Props = { conversation: { cost: number | null; unpricedCallCount: number }; below?: boolean };

/** What a conversation costs, and how many of its calls that leaves out. */
export const ConversationCost = ({ conversation: { cost, unpricedCallCount }, below = false }: Props) => (
  <CostTotal usd={cost} unpriced={unpricedCallCount} below={below} />
);
