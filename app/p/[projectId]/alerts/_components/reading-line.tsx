import { Ago } from "@/app/_components/values/ago";
import { UNKNOWN } from "@/app/_lib/format";
import { type Alert, readingWords } from "@/server/services/notifications/alerts/schemas";

/** What the last evaluation found: `20 s ago: 4.2% of 310 calls, fires at 5%`. */
export const ReadingLine = ({ alert }: { alert: Alert }) =>
  !alert.enabled || alert.evaluatedAt === null ? (
    <span title="Not evaluated">{UNKNOWN}</span>
  ) : (
    <span className="tabular">
      <Ago at={alert.evaluatedAt} />: {readingWords(alert)}
    </span>
  );
