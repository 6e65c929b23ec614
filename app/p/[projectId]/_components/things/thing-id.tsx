import { CopyButton } from "@/app/_components/controls/copy-button";
import classes from "./things.module.css";

/** An id below what it is the id of: muted, and to be copied. */
export const ThingId = ({ id }: { id: string }) => (
  <span className={classes.id}>
    <span className="mono clip" title={id}>
      {id}
    </span>
    <CopyButton value={id} label="Copy id" />
  </span>
);
