import { formatUnits } from "@/app/_lib/usage-words";
import { Count } from "./count";

/** How many of something were used: as any count, but a fraction (of seconds) is not rounded away. */
export const Units = ({ count }: { count: number }) =>
  Number.isInteger(count) ? <Count value={count} /> : <span className="tabular">{formatUnits(count)}</span>;
