import { Count } from "@/app/_components/values/count";
import { formatUnits } from "@/app/p/[projectId]/_components/costs/usage-words";

/** How many of something were used: as any count, but a fraction (of seconds) is not rounded away. */
export const Units = ({ count }: { count: number }) =>
  Number.isInteger(count) ? <Count value={count} /> : <span className="tabular">{formatUnits(count)}</span>;
