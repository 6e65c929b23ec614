import { Text } from "@mantine/core";
import classes from "./payload.module.css";

/** A problem of something that has no field of its own. */
export const FieldProblem = ({ says }: { says: string | undefined }) =>
  says === undefined ? null : (
    <Text size="xs" c="var(--mantine-color-error)" role="alert" className={classes.error}>
      {says}
    </Text>
  );
