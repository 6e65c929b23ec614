"use client";
import { Button, Stack } from "@mantine/core";
import { Refused } from "@/app/_components/feedback/refused";
import { useLoadSample } from "./use-load-sample";

/** Opens a project that is full of conversations, for a reader who has none. */
export function ExploreSample() {
  const load = useLoadSample();
  return (
    <Stack gap="xs" align="flex-start">
      <Button variant="default" loading={load.isPending || load.isSuccess} onClick={() => load.mutate({})}>
        Explore a sample project
      </Button>
      <Refused error={load.error} />
    </Stack>
  );
}
