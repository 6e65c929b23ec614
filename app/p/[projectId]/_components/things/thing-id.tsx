import { CopyButton } from "@/app/_components/controls/copy-button";
import classes from "./things.module.css";

/** An id, below the thing that it identifies: muted, with a button to copy it. */
export const ThingId = ({ id }: { id: string }) => (
  <span className={classes.id}>
    <span className="mono clip" title={id}>
      {id}
    </span>
    <CopyButton value={id} label="Copy id" />
  </span>
);
