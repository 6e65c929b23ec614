import type { EmbeddingModelV4 } from "@ai-sdk/provider";
import { z } from "zod";
import type { ModelDialect } from "./dialect";
import { checkedFields, checkedModel } from "./read-chat-request";
import { Unsupported } from "./unsupported";

const TOKEN_IDS =
  "It has token ids, which are of OpenAI's models: send texts. LangChain does with check_embedding_ctx_length=False";

const fields = z.looseObject({
  model: z.string(),
  input: z.union([z.string().min(1), z.array(z.string()).min(1)], { error: TOKEN_IDS }),
  dimensions: z.int().positive().nullish(),
  encoding_format: z.enum(["float", "base64"]).nullish(),
});
const KNOWN: ReadonlySet<string> = new Set([...Object.keys(fields.shape), "user"]);

/** The counts of models that tell them. */
const counted = z.object({ usageMetadata: z.object({ promptTokenCount: z.int().nonnegative() }) });

export type Embeddings = {
  model: string;
  values: string[];
  dimensions?: number;
  isEncoded: boolean;
  dropped: string[];
};

/** Reads a request for embeddings of the OpenAI API. Throws `Unsupported`. */
export function readEmbeddings(given: unknown, dialect: ModelDialect): Embeddings {
  if (dialect.embedding === null)
    throw new Unsupported(`${dialect.label} has no embeddings. Call a model of another connection.`);
  const { model, input, dimensions, encoding_format: format, ...others } = checkedFields(fields, given);
  return {
    model: checkedModel(model, dialect),
    values: typeof input === "string" ? [input] : input,
    ...(dimensions != null && { dimensions }),
    isEncoded: format === "base64",
    dropped: Object.entries(others).flatMap(([name, value]) => (value == null || KNOWN.has(name) ? [] : [name])),
  };
}

const encoded = (vector: number[]) => Buffer.from(new Float32Array(vector).buffer).toString("base64");

/** Returns the vectors as the OpenAI API lists them; as many texts are sent at once as the service takes. */
export async function embed(
  model: EmbeddingModelV4,
  { model: name, values, dimensions, isEncoded }: Embeddings,
  abortSignal: AbortSignal | undefined,
) {
  const most = (await model.maxEmbeddingsPerCall) ?? values.length;
  const vectors: number[][] = [];
  let tokens: number | null = 0;
  for (let from = 0; from < values.length; from += most) {
    const { embeddings, response } = await model.doEmbed({
      values: values.slice(from, from + most),
      ...(dimensions !== undefined && { dimensions }),
      ...(abortSignal && { abortSignal }),
    });
    vectors.push(...embeddings);
    const told: number | undefined = counted.safeParse(response?.body).data?.usageMetadata.promptTokenCount;
    tokens = tokens === null || told === undefined ? null : tokens + told;
  }
  return {
    object: "list",
    data: vectors.map((vector, index) => ({
      object: "embedding",
      index,
      embedding: isEncoded ? encoded(vector) : vector,
    })),
    model: name,
    ...(tokens !== null && { usage: { prompt_tokens: tokens, total_tokens: tokens } }),
  };
}
