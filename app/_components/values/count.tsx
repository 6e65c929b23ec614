import { formatCompact, formatCount } from "@/app/_lib/format";

/** A number short enough for its column, in full on hover. */
export function Count({ value }: { value: number | null | undefined }) {
  return (
    <span className="tabular" title={value == null ? "unknown" : formatCount(value)}>
      {formatCompact(value)}
    </span>
  );
}
