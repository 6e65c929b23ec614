import type { RecordedTurn, Variant } from "@/server/services/proof/variants/schemas";
import type { ModelConnection } from "../../../_components/variants/use-model-connections";

export type VariantForm = {
  name: string;
  connectionId: string;
  model: string;
  systemPrompt: string;
  temperature: number | "";
  maxTokens: number | "";
  reasoningEffort: string;
  tools: { name: string; recorded: string; description: string }[];
  note: string;
};
type Start = { from: Variant | null; turn: RecordedTurn | undefined; connection: ModelConnection | undefined };

/** The recorded system prompt that a new variant is written from; `null` if there is none. */
export function basedOnOf({ from, turn }: Pick<Start, "from" | "turn">): string | null {
  if (from?.basedOn != null) return from.basedOn;
  const [first] = turn?.prompt ?? [];
  return first?.role === "system" ? first.content : null;
}

/** The form as it opens: as another version, or as recorded. */
export function initialValues({ from, turn, connection }: Start): VariantForm {
  const tools = turn?.tools ?? Object.keys(from?.toolDescriptions ?? {}).map((name) => ({ name, description: null }));
  return {
    name: from?.name ?? "",
    connectionId: from?.connectionId ?? connection?.id ?? "",
    model: from?.model ?? turn?.model ?? connection?.defaultModel ?? "",
    systemPrompt: from?.systemPrompt ?? basedOnOf({ from, turn }) ?? "",
    temperature: from?.parameters.temperature ?? "",
    maxTokens: from?.parameters.maxTokens ?? "",
    reasoningEffort: from?.parameters.reasoningEffort ?? "",
    tools: tools.map(({ name, description }) => ({
      name,
      recorded: description ?? "",
      description: from?.toolDescriptions[name] ?? description ?? "",
    })),
    note: from?.note ?? "",
  };
}

/** What is sent: only what differs from what is recorded. */
export function changeOf(values: VariantForm, basedOn: string | null) {
  const { connectionId, model, systemPrompt, temperature, maxTokens, reasoningEffort, tools } = values;
  const isChanged = systemPrompt !== (basedOn ?? "");
  return {
    connectionId,
    model: model.trim(),
    basedOn: isChanged ? basedOn : null,
    systemPrompt: isChanged ? systemPrompt : null,
    parameters: {
      ...(temperature === "" ? {} : { temperature }),
      ...(maxTokens === "" ? {} : { maxTokens }),
      ...(reasoningEffort === ""
        ? {}
        : { reasoningEffort: reasoningEffort as NonNullable<Variant["parameters"]["reasoningEffort"]> }),
    },
    toolDescriptions: Object.fromEntries(
      tools.flatMap(({ name, recorded, description }) => (description === recorded ? [] : [[name, description]])),
    ),
  };
}
