export { type Masked, type Masking, maskLogs, maskSpans } from "./mask-batch";
export { maskText } from "./mask-text";
