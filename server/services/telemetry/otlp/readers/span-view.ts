import type { Attributes, AttributeValue, SpanRecord } from "../types";
import type { Tree } from "./flattened";

/** An event or log record of a span: clients send one or the other, with the same names. */
export type ViewEvent = { name: string; timeUs: number; attributes: Attributes; body: AttributeValue };

/** A span with its events and log records. */
export type SpanView = {
  span: SpanRecord;
  attributes: Attributes;
  events: readonly ViewEvent[];
  /**
   * Returns the attributes under a prefix as a tree, built on first use: a long list shared by several spans is read item by
   * item instead.
   */
  treeOf(prefix: string): Tree | undefined;
};
