import type { ConfigurationPatch } from "@/server/services/diagnostics/rules/schemas";
import type { Rule } from "../../_components/use-toggle-rule";

type Configuration = Rule["configuration"];

/** A Rule's configuration while it is being edited. */
export type Draft = Configuration;

type Override = Draft["signalOverrides"][string];
type OverrideChange = { [Field in keyof Override]: Override[Field] | undefined };

/** Sets or, with undefined, removes one field of a Signal's override. */
export function withOverride(draft: Draft, signal: string, change: OverrideChange): Draft {
  const merged = { ...draft.signalOverrides[signal], ...change };
  const kept = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined));
  const { [signal]: _, ...others } = draft.signalOverrides;
  return {
    ...draft,
    signalOverrides: Object.keys(kept).length > 0 ? { ...others, [signal]: kept } : others,
  };
}

/** Returns the PATCH that turns the saved configuration into the draft; `null` when nothing has changed. */
export function patchOf(saved: Configuration, draft: Draft): ConfigurationPatch | null {
  const { signalOverrides: _, ...fields } = draft;
  const changed = Object.entries(fields).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(saved[name as keyof typeof fields]),
  );
  const overrides = overridesPatch(saved.signalOverrides, draft.signalOverrides);
  if (changed.length === 0 && overrides === null) return null;
  return { ...Object.fromEntries(changed), ...(overrides ? { signalOverrides: overrides } : {}) };
}

type Overrides = Configuration["signalOverrides"];

function overridesPatch(saved: Overrides, draft: Overrides) {
  const names = new Set([...Object.keys(saved), ...Object.keys(draft)]);
  const patch: Record<string, { enabled: boolean | null; severity: Overrides[string]["severity"] | null }> = {};
  for (const name of names) {
    const [was, is] = [saved[name] ?? {}, draft[name] ?? {}];
    if (was.enabled === is.enabled && was.severity === is.severity) continue;
    patch[name] = { enabled: is.enabled ?? null, severity: is.severity ?? null };
  }
  return Object.keys(patch).length > 0 ? patch : null;
}
