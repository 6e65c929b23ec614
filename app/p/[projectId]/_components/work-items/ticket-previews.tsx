import { ScrollPre } from "@/app/_components/layout/scroll-pre";
import { plural } from "@/app/_lib/format";
import type { RouterOutputs } from "@/app/_lib/trpc/client";
import classes from "./work-items.module.css";

type Preview = RouterOutputs["workItems"]["preview"]["tickets"][number];

type Props = {
  tickets: readonly Preview[];
  /** Whether a new ticket replaces a linked one; the existing link is not a problem then. */
  replaces?: boolean;
};

/** The tickets as they would be sent; a single one is open. */
export const TicketPreviews = ({ tickets, replaces = false }: Props) => (
  <ul className={classes.list} aria-label="Tickets as they would be sent">
    {tickets.map(({ findingId, title, body, masked, problem }) => (
      <li key={findingId} className={classes.item}>
        <details open={tickets.length === 1}>
          <summary className={classes.summary}>
            <span className={classes.name}>{title}</span> <span className={classes.quiet}>{maskedWords(masked)}</span>
          </summary>
          <ScrollPre label={`Text of “${title}”`} className={classes.body}>
            {body}
          </ScrollPre>
        </details>
        {problem === null || replaces ? null : <span className={classes.problem}>{problem}</span>}
      </li>
    ))}
  </ul>
);

const maskedWords = (count: number) => (count === 0 ? "Nothing to mask" : `${plural(count, "value")} masked`);
