import type { RecordedTurn, Variant } from "@/server/services/proof/variants/schemas";
import type { VariantDraft } from "../../../_components/variants/draft";
import { type Endpoint, keyOf } from "../../../_components/variants/use-endpoints";

export type VariantForm = {
  name: string;
  /** The key of an endpoint. */
  endpoint: string;
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
  endpoints: readonly Endpoint[];
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
export function initialValues({ from, turn, endpoints, draft }: Start): VariantForm {
  const endpoint = firstEndpoint({ from, turn, endpoints, draft });
  const tools = turn?.tools ?? Object.keys(from?.toolDescriptions ?? {}).map((name) => ({ name, description: null }));
  return {
    name: from?.name ?? "",
    endpoint: endpoint?.key ?? "",
    model:
      endpoint?.connectionId === null ? (endpoint.model ?? "") : (from?.model ?? turn?.model ?? endpoint?.model ?? ""),
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

/** Where a version or the playground was asked, where the recorded model is deployed, or the oldest connection. */
function firstEndpoint({ from, turn, endpoints, draft }: Start): Endpoint | undefined {
  const isAsked = ({ deploymentId, baseModel }: Endpoint) =>
    (draft?.asked?.kind === "base" ? baseModel?.id : deploymentId) === draft?.asked?.id;
  return (
    endpoints.find((one) => (from ? one.key === keyOf(from) : draft?.asked && isAsked(one))) ??
    endpoints.find(({ deploymentId, model }) => deploymentId !== null && model === turn?.model) ??
    endpoints[0]
  );
}

/** What is sent: only what differs from what is recorded. */
export function changeOf(values: VariantForm, basedOn: string | null, endpoints: readonly Endpoint[]) {
  const { endpoint, model, systemPrompt, temperature, maxTokens, reasoningEffort, tools } = values;
  const isChanged = systemPrompt !== (basedOn ?? "");
  return {
    ...endpointOf(
      endpoints.find(({ key }) => key === endpoint),
      model.trim(),
    ),
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

const endpointOf = (endpoint: Endpoint | undefined, model: string) =>
  endpoint?.deploymentId
    ? { deploymentId: endpoint.deploymentId }
    : endpoint?.baseModel
      ? { baseModel: endpoint.baseModel }
      : { connectionId: endpoint?.connectionId ?? "", model };
