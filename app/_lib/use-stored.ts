"use client";
import { useLocalStorage } from "@mantine/hooks";
import type { z } from "zod";

/**
 * Holds a value in this browser, under a key of its own. What is stored there and does not fit the schema, because another
 * version wrote it or somebody changed it by hand, counts as absent.
 */
export const useStored = <Value>(key: string, schema: z.ZodType<Value>, absent: Value) =>
  useLocalStorage<Value>({
    key: `whetstone:${key}`,
    defaultValue: absent,
    deserialize: (text) => {
      try {
        return text === undefined ? absent : schema.parse(JSON.parse(text));
      } catch {
        return absent;
      }
    },
  });
