"use client";
import { formatExact, UNKNOWN } from "@/app/_lib/format";

/** A full time in the reader's time zone. */
export function ExactTime({ at }: { at: number | null | undefined }) {
  if (at == null) return <span title="unknown">{UNKNOWN}</span>;
  return (
    <time className="tabular" suppressHydrationWarning>
      {formatExact(at)}
    </time>
  );
}
