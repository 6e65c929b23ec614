import { Text } from "@mantine/core";
import classes from "./payload.module.css";

/** A problem with something that has no input of its own. */
export const FieldProblem = ({ says }: { says: string | undefined }) =>
  says === undefined ? null : (
    <Text size="xs" c="var(--mantine-color-error)" role="alert" className={classes.error}>
      {says}
    </Text>
  );
