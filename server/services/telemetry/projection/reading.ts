import { type Assembler, createAssembler, IdentityFold } from "../otlp";
import { type SharedItem, sharedItemsOf } from "../otlp/shared-items";
import type { AssembledConversation, LogRecord, SpanRecord } from "../otlp/types";
import type { TraceKeys } from "./load-spans";
import { RowMemo } from "./row-memo";

/** A span with all log records that refer to it, oldest first. */
export type ReadSpan = { span: SpanRecord; logs: readonly LogRecord[] };

/**
 * What has been read of a trace: the keys of exactly the spans and log records that were added to its conversation's assembler.
 */
export class TraceReading {
  readonly spans = new Map<string, string>();
  readonly logs = new Set<string>();
  readonly identity = new IdentityFold();
  startUs = Number.POSITIVE_INFINITY;

  /** Whether everything that was read is still stored and has not been replaced. */
  agreesWith(keys: TraceKeys | undefined): boolean {
    for (const [spanId, version] of this.spans) if (keys?.spans.get(spanId) !== version) return false;
    for (const id of this.logs) if (!keys?.logs.has(id)) return false;
    return true;
  }
}

/** What has been read of a conversation. More spans are added as they arrive; nothing is ever removed. */
export class Reading {
  private readonly assembler: Assembler = createAssembler();
  readonly traces = new Map<string, TraceReading>();
  readonly rows = new RowMemo();
  /** The parts that its spans were built from: holding them here lets the next span reuse them. */
  private readonly parts = new Set<SharedItem>();
  private partBytes = 0;

  /** Whether all its traces are among these members, and nothing read of them has been deleted or replaced. */
  agreesWith(members: readonly string[], keys: ReadonlyMap<string, TraceKeys>): boolean {
    const isMember = new Set(members);
    for (const [traceId, trace] of this.traces) {
      if (!isMember.has(traceId) || !trace.agreesWith(keys.get(traceId))) return false;
    }
    return true;
  }

  /** Adds a span, in the version that was stored when the keys of its trace were read or in a later one. */
  add({ span, logs }: ReadSpan, keys: TraceKeys | undefined): void {
    const trace = this.trace(span.traceId);
    this.assembler.add(span, logs);
    trace.identity.addSpan(span);
    trace.startUs = Math.min(trace.startUs, span.startedUs);
    trace.spans.set(span.spanId, keys?.spans.get(span.spanId) ?? "");
    this.hold(sharedItemsOf(span.attributes));
    for (const event of span.events) this.hold(sharedItemsOf(event.attributes));
  }

  /** Adds a log record of a span that has been added or may arrive later. */
  addLog({ id, record }: { id: string; record: LogRecord }): void {
    const trace = this.trace(record.traceId ?? "");
    trace.identity.addLog(record);
    trace.logs.add(id);
    this.hold(sharedItemsOf(record.attributes));
    if (typeof record.body === "object" && record.body !== null && !Array.isArray(record.body))
      this.hold(sharedItemsOf(record.body));
  }

  private hold(items: readonly SharedItem[]): void {
    for (const item of items) {
      if (this.parts.has(item)) continue;
      this.parts.add(item);
      this.partBytes += item.bytes;
    }
  }

  startOf(traceId: string): number {
    const startUs = this.traces.get(traceId)?.startUs ?? Number.POSITIVE_INFINITY;
    return Number.isFinite(startUs) ? startUs : 0;
  }

  finish(): AssembledConversation {
    return this.assembler.finish();
  }

  /** Estimates the memory that the reading takes, in bytes. */
  bytes(): number {
    let keys = 0;
    for (const { spans, logs } of this.traces.values())
      keys += BYTES_PER_TRACE + BYTES_PER_KEY * (spans.size + logs.size);
    return BYTES_PER_READING + keys + this.assembler.bytes() + this.rows.bytes + this.partBytes;
  }

  private trace(traceId: string): TraceReading {
    let trace = this.traces.get(traceId);
    if (!trace) {
      trace = new TraceReading();
      this.traces.set(traceId, trace);
    }
    return trace;
  }
}

const BYTES_PER_READING = 4_000;
const BYTES_PER_TRACE = 1_000;
const BYTES_PER_KEY = 250;
