import { Checkbox, type CheckboxProps } from "@mantine/core";
import classes from "./data-table.module.css";

/** A checkbox whose target is its whole cell. */
export const ListCheck = (props: CheckboxProps & { "aria-label": string }) => (
  // biome-ignore lint/a11y/noLabelWithoutControl: the checkbox names itself; the label makes its target larger
  <label className={classes.check}>
    <Checkbox size="xs" {...props} />
  </label>
);
