import { sourcesOf } from "./precedence";

/** Duration in microseconds of the stream whose end a span reports. */
export const STREAM_US = sourcesOf("streamUs");
