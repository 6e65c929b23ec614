import type { Capability } from "@/server/platform/capabilities";

/** Any one of these allows reading everything about fine-tuning. */
export const FINE_TUNING_READERS: readonly Capability[] = ["workspace:read", "project:data:read"];
