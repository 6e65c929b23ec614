import type { Convention } from "../convention";

const takesOf = (source: unknown): readonly string[] =>
  typeof source === "object" && source !== null && "takes" in source ? (source.takes as readonly string[]) : [];

/** Returns the attributes that a convention says something is made from. */
export function attributesRead(convention: Convention): string[] {
  const { fallback, marks, usageFigures = [], usageObjects = [], usageDetails = [] } = convention;
  const sources: unknown[] = [convention, fallback ?? {}].flatMap(Object.values).filter(Array.isArray).flat();
  const taken = [
    ...sources.flatMap(takesOf),
    ...Object.values(marks ?? {}).flat(),
    ...[...usageFigures, ...usageObjects, ...usageDetails].map(([name]) => name),
  ];
  return [...new Set(taken)];
}
