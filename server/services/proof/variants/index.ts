import "server-only";

export { createVariant } from "./create-variant";
export { deleteVariant } from "./delete-variant";
export { requireEndpoint } from "./endpoints";
export { estimateProof } from "./estimate-proof";
export { handOffVariant } from "./hand-off";
export { handOffVariantAsTicket } from "./hand-off-as-ticket";
export { getVariant, listVariants } from "./list-variants";
export { fieldsOf as parameterFields, rewritten } from "./overlay";
export { playProof } from "./play-proof";
export { proveVariant } from "./prove-variant";
export { faultyTurns, recordedTurn, tryVariant } from "./try-variant";
export { readVariant } from "./variant-rows";
