import { Radio } from "@mantine/core";
import classes from "./new-training.module.css";

type Props = {
  value: string;
  chosen: boolean;
  title: React.ReactNode;
  description: React.ReactNode;
  disabled?: boolean;
};

/** One choice of a list: its name, with a description below. All of it can be pressed. */
export const Option = ({ value, chosen, title, description, disabled = false }: Props) => (
  <div className={classes.option} data-chosen={chosen || undefined} data-off={disabled || undefined}>
    <Radio
      value={value}
      disabled={disabled}
      label={title}
      description={description}
      styles={{ body: { alignItems: "flex-start" }, labelWrapper: { flex: 1, minWidth: 0 } }}
    />
  </div>
);
