import { ScrollPre } from "@/app/_components/layout/scroll-pre";
import classes from "./jobs.module.css";

/** An error's original message, as plain text of any length. */
export function ErrorText({ error, label }: { error: { name: string; message: string }; label: string }) {
  return (
    <div className={classes.error}>
      <div className={classes.errorName}>{error.name || "Error"}</div>
      {error.message ? (
        <ScrollPre className={classes.errorText} label={label}>
          {error.message}
        </ScrollPre>
      ) : null}
    </div>
  );
}
