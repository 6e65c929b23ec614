import type { JoinedCall } from "./join-calls";
import type { SpanFacts } from "./span-facts";
import type { SpanTree } from "./span-tree";

/**
 * Returns the name of the inner agent that a call belongs to; `null` for the conversation's own calls. An inner agent works for
 * another: below a tool that was called, or below an agent that asks a model itself before and after it. Its user is that agent, so
 * what it is told is not what the user said. An agent that only wraps another, that passes the conversation on to it, or that a
 * program starts, works for the user.
 */
export function innerAgents(calls: readonly JoinedCall[], tree: SpanTree): (span: SpanFacts) => string | null {
  const toolAbove = tree.finderAbove(({ type }) => type === "tool");
  const agentAbove = tree.finderAbove(({ type }) => type === "agent");
  /** When the first call of each trace started that no tool makes. */
  const firstOfTrace = new Map<string, number>();
  /** When the first and the last of each agent's own calls started. */
  const ownCalls = new Map<SpanFacts, { firstUs: number; lastUs: number }>();
  for (const span of calls.flatMap((call) => call.spans)) {
    if (toolAbove(span)) continue;
    const us = span.startedUs;
    firstOfTrace.set(span.traceId, Math.min(firstOfTrace.get(span.traceId) ?? us, us));
    const agent = agentAbove(span);
    if (!agent) continue;
    const { firstUs, lastUs } = ownCalls.get(agent) ?? { firstUs: us, lastUs: us };
    ownCalls.set(agent, { firstUs: Math.min(firstUs, us), lastUs: Math.max(lastUs, us) });
  }
  const isUsedBy = (outer: SpanFacts, inner: SpanFacts) => {
    const own = ownCalls.get(outer);
    return own !== undefined && own.firstUs <= inner.startedUs && own.lastUs >= inner.endedUs;
  };
  const known = new Map<SpanFacts, SpanFacts | null>();
  /** Returns the innermost of an agent and those above it that works for another. Parents may form cycles. */
  const innerOf = (agent: SpanFacts): SpanFacts | null => {
    const visited: SpanFacts[] = [];
    let found: SpanFacts | null = null;
    for (let at: SpanFacts | undefined = agent; at && !found; ) {
      const before = known.get(at);
      if (before !== undefined) {
        found = before;
        break;
      }
      known.set(at, null);
      visited.push(at);
      const outer = agentAbove(at);
      if (outer && isUsedBy(outer, at)) found = at;
      at = outer;
    }
    for (const one of visited) known.set(one, found);
    return found;
  };
  return (span) => {
    const tool = toolAbove(span);
    const agent = agentAbove(span);
    const inner = tool || !agent ? null : innerOf(agent);
    if (!tool) return inner && nameOf(inner);
    if ((firstOfTrace.get(span.traceId) ?? Number.POSITIVE_INFINITY) > tool.startedUs) return null;
    return agent && toolAbove(agent) === tool ? nameOf(agent) : (tool.tool?.name ?? tool.name);
  };
}

/** The operation that OpenTelemetry puts before an agent's name. */
const OPERATION = /^invoke_agent\s+(?=\S)/;
const nameOf = (agent: SpanFacts) => agent.name.replace(OPERATION, "");
