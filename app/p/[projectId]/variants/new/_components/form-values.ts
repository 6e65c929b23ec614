import type { RecordedTurn, Variant } from "@/server/services/proof/variants/schemas";
import type { VariantDraft } from "../../../_components/variants/draft";
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
type Start = {
  from: Variant | null;
  turn: RecordedTurn | undefined;
  connection: ModelConnection | undefined;
  draft: VariantDraft | null;
};

/** The recorded system prompt that a new variant is written from; `null` if there is none. */
export function basedOnOf({ from, turn, draft }: Pick<Start, "from" | "turn" | "draft">): string | null {
  // In the playground a prompt replaces the recorded one.
  if (draft?.systemPrompt != null) return null;
  if (from?.basedOn != null) return from.basedOn;
  const [first] = turn?.prompt ?? [];
  return first?.role === "system" ? first.content : null;
}

/** The form as it opens: as another version, as in the playground, or as recorded. */
export function initialValues({ from, turn, connection, draft }: Start): VariantForm {
  const tools = turn?.tools ?? Object.keys(from?.toolDescriptions ?? {}).map((name) => ({ name, description: null }));
  return {
    name: from?.name ?? "",
    connectionId: from?.connectionId ?? connection?.id ?? "",
    model: from?.model ?? turn?.model ?? connection?.defaultModel ?? "",
    systemPrompt: from?.systemPrompt ?? draft?.systemPrompt ?? basedOnOf({ from, turn, draft }) ?? "",
    temperature: from?.parameters.temperature ?? draft?.temperature ?? "",
    maxTokens: from?.parameters.maxTokens ?? draft?.maxTokens ?? "",
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
