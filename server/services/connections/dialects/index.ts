import type { ModelDialectName } from "../schemas";
import { anthropic } from "./anthropic";
import type { ModelDialect } from "./dialect";
import { google } from "./google";

/** `null`: the API that is called already. */
const DIALECTS: Record<ModelDialectName, ModelDialect | null> = { openai: null, anthropic, google };

/** Returns the dialect of a model connection with these settings; `null` for OpenAI's own, which older rows do not name. */
export const dialectOf = ({ dialect }: { dialect?: unknown }): ModelDialect | null =>
  typeof dialect === "string" && Object.hasOwn(DIALECTS, dialect) ? DIALECTS[dialect as ModelDialectName] : null;
