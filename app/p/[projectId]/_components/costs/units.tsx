import { Count } from "@/app/_components/values/count";
import { formatUnits } from "@/app/p/[projectId]/_components/costs/usage-words";

/** A usage amount, formatted as a count but with fractions (of seconds) kept. */
export const Units = ({ count }: { count: number }) =>
  Number.isInteger(count) ? <Count value={count} /> : <span className="tabular">{formatUnits(count)}</span>;
