import { readFileSync } from "node:fs";
import path from "node:path";
import { createAssembler } from "../assemble/create-assembler";
import { decodeLogs } from "../decode/decode-logs";
import { decodeTraces } from "../decode/decode-traces";
import type { AssembledConversation, LogRecord, Rejection } from "../types";

const FOLDER = path.join(import.meta.dirname, "reports");

/** Returns the OTLP/JSON body of a payload that products of this field have been reported to misread. */
export const reportedBody = (name: string): Buffer => readFileSync(path.join(FOLDER, `${name}.json`));

/** Returns the conversation of such a payload, with its log records if it has any. */
export function assembleReported(name: string, logsName?: string): AssembledConversation & { rejections: Rejection[] } {
  const { items, rejections } = decodeTraces(reportedBody(name), "json");
  const logs: LogRecord[] = logsName === undefined ? [] : decodeLogs(reportedBody(logsName), "json").items;
  const assembler = createAssembler();
  for (const span of items) {
    assembler.add(
      span,
      logs.filter(({ traceId, spanId }) => traceId === span.traceId && spanId === span.spanId),
    );
  }
  return { ...assembler.finish(), rejections };
}
