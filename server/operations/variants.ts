import {
  createVariant,
  deleteVariant,
  estimateProof,
  faultyTurns,
  getVariant,
  handOffVariant,
  handOffVariantAsTicket,
  listVariants,
  proveVariant,
  recordedTurn,
  tryVariant,
} from "@/server/services/proof";
import { get, post, project, remove, under } from "./row";

const variants = `${project}/variants`;

export const VARIANTS = {
  variants: under("Variants", {
    list: get(variants, listVariants),
    create: post(variants, createVariant, 201),
    get: get(`${variants}/:variantId`, getVariant),
    delete: remove(`${variants}/:variantId`, deleteVariant),
    try: post(`${project}/variant-answers`, tryVariant),
    faultyTurns: get(`${project}/diagnostics/findings/:findingId/faulty-turns`, faultyTurns),
    recordedTurn: get(`${project}/conversations/:conversationId/turns/:messageIndex`, recordedTurn),
    estimateProof: get(`${variants}/:variantId/proof-estimate`, estimateProof),
    prove: post(`${variants}/:variantId/proofs`, proveVariant, 202),
    handOff: get(`${variants}/:variantId/hand-off`, handOffVariant),
    handOffAsTicket: post(`${variants}/:variantId/ticket`, handOffVariantAsTicket),
  }),
};
