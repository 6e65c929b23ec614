import { Alert } from "@mantine/core";
import { problemOf } from "@/app/_lib/problem";

/** Why what somebody just asked for was not done; nothing while there is no error. */
export const Refused = ({ error }: { error: unknown }) =>
  error ? (
    <Alert role="alert" color="red" p="xs">
      {problemOf(error).detail}
    </Alert>
  ) : null;
