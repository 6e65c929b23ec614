"use client";
import { formatAgo, formatExact, UNKNOWN } from "@/app/_lib/format";
import { useNow } from "./now";

/** A time as "3 min ago", its exact form on hover. */
export function Ago({ at }: { at: number | null | undefined }) {
  const now = useNow();
  if (at == null) return <span title="unknown">{UNKNOWN}</span>;
  const iso = Math.abs(at) <= 8.64e15 ? new Date(at).toISOString() : undefined;
  return (
    <time
      dateTime={iso}
      title={formatExact(at)}
      className="tabular"
      suppressHydrationWarning
      style={{ whiteSpace: "nowrap" }}
    >
      {formatAgo(at, now)}
    </time>
  );
}
