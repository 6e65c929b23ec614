import { Alert } from "@mantine/core";
import { problemOf } from "@/app/_lib/problem";

/** Shows why a request was refused; renders nothing without an error. */
export const Refused = ({ error }: { error: unknown }) =>
  error ? (
    <Alert role="alert" color="red" p="xs">
      {problemOf(error).detail}
    </Alert>
  ) : null;
