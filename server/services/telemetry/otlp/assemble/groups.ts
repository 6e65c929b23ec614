import type { CallSpan } from "./span-facts";

/** Groups of spans that report the same call. */
export class Groups {
  private readonly groupOf = new Map<CallSpan, CallSpan[]>();

  constructor(spans: readonly CallSpan[]) {
    for (const span of spans) this.groupOf.set(span, [span]);
  }

  /** Whether both spans report the same call. */
  areOne(one: CallSpan, other: CallSpan): boolean {
    return this.groupOf.get(one) === this.groupOf.get(other);
  }

  /** Allows one span per instrumentation, or two spans of one instrumentation that complement each other. */
  mayJoin(one: CallSpan, other: CallSpan): boolean {
    const group = this.groupOf.get(one) ?? [];
    const joining = this.groupOf.get(other) ?? [];
    if (group === joining) return false;
    const scopes = new Set(group.map((span) => span.scopeName));
    return joining.every((span) => !scopes.has(span.scopeName)) || group.length + joining.length === 2;
  }

  join(one: CallSpan, other: CallSpan): void {
    const group = this.groupOf.get(one);
    const joining = this.groupOf.get(other);
    if (!group || !joining || group === joining) return;
    for (const span of joining) {
      group.push(span);
      this.groupOf.set(span, group);
    }
  }

  all(): CallSpan[][] {
    return [...new Set(this.groupOf.values())];
  }
}
