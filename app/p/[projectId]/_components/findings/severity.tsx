import type { z } from "zod";
import { Dot } from "@/app/_components/values/dot";
import type { severity } from "@/server/services/diagnostics/schemas";

export type SeverityName = z.infer<typeof severity>;

const WORD: Record<SeverityName, string> = {
  critical: "Critical",
  high: "High",
  medium: "Medium",
  low: "Low",
  info: "Info",
};

export function Severity({ value }: { value: SeverityName }) {
  return <Dot color={`var(--severity-${value})`}>{WORD[value]}</Dot>;
}
