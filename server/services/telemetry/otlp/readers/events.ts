import type { SpanType } from "../../schemas";
import { CONVENTIONS } from "../conventions";

/** The types of spans that have an event or log record of this name. */
export const TYPE_OF_EVENT: ReadonlyMap<string, SpanType> = new Map(
  CONVENTIONS.flatMap(({ events }) => Object.entries(events?.type ?? {})),
);

/** Events that repeat a call's attributes; some clients send the content only in them. */
export const DETAILS_EVENTS: ReadonlySet<string> = new Set(CONVENTIONS.flatMap(({ events }) => events?.details ?? []));

/** Events that can be the only source of a span's type. */
export const TYPE_EVENTS: readonly string[] = [...DETAILS_EVENTS, ...TYPE_OF_EVENT.keys()];
