import type { SharedText } from "@/db/schema/json";
import { PlaceholderMask } from "@/server/services/diagnostics/masking";
import type { ShareMasking } from "../schemas";

/** What becomes of each kind of text in a copy. */
export type Redactor = {
  /** Names of tools and models. */
  name: (text: string) => string;
  /** A title, which quotes what was said. */
  title: (text: string) => string | null;
  /** What was said. */
  text: (text: string) => SharedText;
  /** The same, of text that may be JSON. */
  json: (text: string) => SharedText;
};

const REDACTORS: Record<ShareMasking, (mask: PlaceholderMask) => Redactor> = {
  personal_data: (mask) => ({
    name: (text) => mask.text(text),
    title: (text) => mask.text(text),
    text: (text) => ({ text: mask.text(text) }),
    json: (text) => ({ text: mask.json(text) }),
  }),
  content: (mask) => ({
    name: (text) => mask.text(text),
    title: () => null,
    text: ({ length }) => ({ hidden: length }),
    json: ({ length }) => ({ hidden: length }),
  }),
  nothing: () => ({ name: asItIs, title: asItIs, text: (text) => ({ text }), json: (text) => ({ text }) }),
};

const asItIs = (text: string) => text;

/** Returns a redactor for one copy, throughout which a value has the same placeholder. */
export const redactorFor = (masking: ShareMasking): Redactor => REDACTORS[masking](new PlaceholderMask());
