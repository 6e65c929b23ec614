import "server-only";

export { type Assembler, createAssembler } from "./assemble/create-assembler";
export { withTexts } from "./assemble/interned-messages";
export { IN_MEMORY, type TextStore } from "./assemble/text-store";
export { countDataPoints } from "./decode/count-data-points";
export type { Encoding } from "./decode/decode-batch";
export { decodeLogs } from "./decode/decode-logs";
export { decodeTraces } from "./decode/decode-traces";
export { MalformedBody } from "./decode/malformed-body";
export { IdentityFold, resolveTraceIdentity } from "./identity/identity";
export { readSpan } from "./read-span";
export { READER_VERSION } from "./reader-version";
export { TYPE_EVENTS } from "./readers/events";
export { type ToolDefinition, toolDefinitionsOf } from "./tool-definitions";
export { VERSION_ATTRIBUTES } from "./traits";
