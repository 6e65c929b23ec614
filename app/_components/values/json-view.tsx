import { prettyText } from "@/app/_lib/pretty-text";
import { CopyButton } from "../controls/copy-button";
import { ScrollPre } from "../layout/scroll-pre";
import classes from "./json-view.module.css";

type Props = { value: unknown; label: string };

/** A value as text with a copy button. `label` is its accessible name. */
export function JsonView({ value, label }: Props) {
  const text = typeof value === "string" ? prettyText(value) : (JSON.stringify(value, null, 2) ?? "");
  return (
    <div className={classes.root}>
      <ScrollPre className={classes.text} label={label}>
        {text}
      </ScrollPre>
      <div className={classes.copy}>
        <CopyButton value={text} label={`Copy ${label}`} />
      </div>
    </div>
  );
}
