import { Dot } from "@/app/_components/values/dot";
import { SEVERITY_WORDS, type SeverityName } from "./severity-words";

export const Severity = ({ value }: { value: SeverityName }) => (
  <Dot color={`var(--severity-${value})`}>{SEVERITY_WORDS[value]}</Dot>
);
