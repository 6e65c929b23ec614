import { promptText, TRAIT_CHARACTERS, TRAIT_VALUES_MAX } from "../schemas";
import { cutText } from "./cut-text";
import { sourcesOf } from "./readers/precedence";
import { PROMPT } from "./readers/prompt";
import { firstOf } from "./readers/reader";
import { SmallestTexts } from "./smallest-texts";
import type { AssembledConversation, SpanRecord } from "./types";

const SERVICE_NAME = sourcesOf("serviceName");
const VERSIONS = sourcesOf("version");
const ARMS = sourcesOf("arms");

/** Attributes of a resource that name what is deployed. */
export const VERSION_ATTRIBUTES = VERSIONS.flatMap(({ takes }) => takes);

/** The values of a dimension: the first in sort order of those that are added. */
export class TraitValues {
  private readonly values = new SmallestTexts(TRAIT_VALUES_MAX);

  add(text: string): void {
    const value = cutText(text, TRAIT_CHARACTERS);
    if (value !== null) this.values.add(value);
  }

  sorted(): string[] {
    return this.values.sorted();
  }
}

/** Collects the versions, managed prompts and arms of experiments of a conversation, independent of the order of its spans. */
export class TraitFold {
  private readonly versions = new TraitValues();
  private readonly prompts = new TraitValues();
  private readonly arms = new TraitValues();

  addSpan({ resource, attributes }: SpanRecord): void {
    const service = firstOf(SERVICE_NAME, resource);
    for (const reader of VERSIONS) {
      const version = reader.read(resource);
      if (version !== undefined) this.versions.add(service === undefined ? version : `${service} ${version}`);
    }
    const prompt = firstOf(PROMPT, attributes);
    if (prompt !== undefined) this.prompts.add(promptText(prompt));
    for (const reader of ARMS) for (const arm of reader.read(attributes) ?? []) this.arms.add(arm);
  }

  traits(): Pick<AssembledConversation, "versions" | "prompts" | "arms"> {
    return { versions: this.versions.sorted(), prompts: this.prompts.sorted(), arms: this.arms.sorted() };
  }
}
