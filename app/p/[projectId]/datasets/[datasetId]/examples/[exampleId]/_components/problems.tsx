import { Alert, Button, Group, Text } from "@mantine/core";
import { useEffect, useRef } from "react";
import { problemOf } from "@/app/_lib/problem";
import type { ErrorsAt } from "../../../../_components/payload/errors-at";
import payload from "../../../../_components/payload/payload.module.css";

type Props = {
  error: unknown;
  errors: ErrorsAt;
  /** Set while the save is refused because somebody else changed the Example. */
  outdated: Choice | null;
};
type Choice = {
  /** What the newer version has changed, in words. */
  changed: readonly string[];
  /** The newer version is being loaded, or could not be. */
  reading: boolean;
  failure: unknown;
  onLoad: () => void;
  onOverwrite: () => void;
};

/** Tells the reader that nothing was saved, why, and what to do; it takes the focus when a save is refused. */
export function Problems({ error, errors, outdated }: Props) {
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (error) root.current?.focus();
  }, [error]);
  const elsewhere = Object.keys(errors).filter((place) => place !== "").length;
  if (!error && Object.keys(errors).length === 0) return null;
  return (
    <Alert ref={root} tabIndex={-1} role="alert" color="red" p="xs" mb="md" className={payload.error}>
      {error ? outdated ? <Outdated {...outdated} /> : problemOf(error).detail : "Not saved yet."}
      {errors[""] === undefined ? "" : `\n${errors[""]}`}
      {elsewhere === 0 ? "" : ` See the ${elsewhere === 1 ? "message" : `${elsewhere} messages`} below.`}
    </Alert>
  );
}

/** Lets the reader choose which of two versions to keep. */
function Outdated({ changed, reading, failure, onLoad, onOverwrite }: Choice) {
  return (
    <>
      <Text size="sm">
        This Example has changed since you opened it, so your changes are not saved.
        {changed.length === 0 ? "" : ` Different in the newer version: ${changed.join(", ")}.`} Load that version, which
        discards your changes, or overwrite it with yours.
      </Text>
      {failure ? <Text size="sm">{problemOf(failure).detail}</Text> : null}
      <Group gap="xs" mt="xs">
        <Button variant="default" size="compact-sm" loading={reading} onClick={onLoad}>
          Load the newer version
        </Button>
        <Button variant="default" size="compact-sm" disabled={reading} onClick={onOverwrite}>
          Overwrite with mine
        </Button>
      </Group>
    </>
  );
}
