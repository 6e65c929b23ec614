import { formatUsd, formatUsdExact } from "@/app/_lib/format";

type Props = {
  usd: number | null | undefined;
  /** The same amount as an exact decimal, for digits that a number cannot hold. */
  exact?: string | null | undefined;
  note?: string | undefined;
};

/** US dollars; every digit on hover; a dash for an unknown, never a zero. */
export function Money({ usd, exact, note }: Props) {
  const whole = exact ? `$${exact}` : formatUsdExact(usd);
  return (
    <span className="tabular" title={note ? `${whole} · ${note}` : whole}>
      {formatUsd(usd)}
    </span>
  );
}
