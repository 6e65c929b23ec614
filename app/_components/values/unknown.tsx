import { UNKNOWN } from "@/app/_lib/format";

/** A dash that says on hover why there is no value. */
export function Unknown({ why = "unknown" }: { why?: string }) {
  return <span title={why}>{UNKNOWN}</span>;
}
