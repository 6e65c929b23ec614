import type { TRACKER_KINDS } from "@/db/schema/enumerations";

export type TrackerKind = (typeof TRACKER_KINDS)[number];
