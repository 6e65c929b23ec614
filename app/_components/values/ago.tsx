"use client";
import { Text } from "@mantine/core";
import { formatAgo, formatExact, UNKNOWN } from "@/app/_lib/format";
import { useNow } from "./now";

/** A time as "3 min ago", its exact form on hover. */
export function Ago({ at }: { at: number | null | undefined }) {
  const pageNow = useNow();
  if (at == null) return <span title="unknown">{UNKNOWN}</span>;
  // An event newer than the last tick of the page's clock must not be shown as in the future.
  const now = at > pageNow && typeof window !== "undefined" ? Math.max(pageNow, Date.now()) : pageNow;
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

/** The same for times where `null` has a meaning of its own, given by `otherwise`. */
export const AgoOr = ({ at, otherwise }: { at: number | null; otherwise: string }) =>
  at === null ? (
    <Text c="dimmed" size="sm" span>
      {otherwise}
    </Text>
  ) : (
    <Ago at={at} />
  );
