import { number, type Reader } from "./reader";

/** Duration in microseconds of the stream whose end a span reports. */
export const STREAM_US: readonly Reader<number>[] = [
  {
    takes: ["duration", "logfire.span_type"], // Logfire
    read: (attributes) => {
      const seconds = attributes["logfire.span_type"] === "log" ? number("duration").read(attributes) : undefined;
      return seconds !== undefined && seconds >= 0 ? seconds * 1_000_000 : undefined;
    },
  },
];
