import { formatUsd, formatUsdExact } from "@/app/_lib/format";

/** US dollars; every digit on hover; a dash for an unknown, never a zero. */
export function Money({ usd, note }: { usd: number | null | undefined; note?: string | undefined }) {
  return (
    <span className="tabular" title={note ? `${formatUsdExact(usd)} · ${note}` : formatUsdExact(usd)}>
      {formatUsd(usd)}
    </span>
  );
}
