import Link from "next/link";
import classes from "./labels.module.css";
import { labelHref } from "./view";

type Props = { projectId: string; labels: readonly string[]; most?: number };

/** A conversation's labels, each linked to all conversations with it; those beyond `most` are only counted. */
export function Labels({ projectId, labels, most = labels.length }: Props) {
  const others = labels.slice(most);
  return (
    <ul className={classes.labels} aria-label="Labels">
      {labels.slice(0, most).map((label) => (
        <li key={label}>
          <Link className={classes.label} href={labelHref(projectId, label)} prefetch={false} title={label}>
            {label}
          </Link>
        </li>
      ))}
      {others.length > 0 ? <li title={others.join(", ")}>+{others.length}</li> : null}
    </ul>
  );
}
