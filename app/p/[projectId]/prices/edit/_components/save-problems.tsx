import { Alert } from "@mantine/core";
import { useEffect, useRef } from "react";
import { problemOf } from "@/app/_lib/problem";

/** Tells the reader that nothing was saved, and why; it takes the focus when the server refuses. */
export function SaveProblems({ error, faults }: { error: unknown; faults: number }) {
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (error) root.current?.focus();
  }, [error]);
  if (!error && faults === 0) return null;
  return (
    <Alert ref={root} tabIndex={-1} role="alert" color="red" p="xs">
      {error ? problemOf(error).detail : "Not saved yet."}
      {faults > 0 ? ` See the ${faults === 1 ? "message" : `${faults} messages`} below.` : ""}
    </Alert>
  );
}
