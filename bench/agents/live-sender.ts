import { otlpJson } from "@/server/services/telemetry/testing";
import { atPace, type Paced } from "../lib/pace";
import { senderTo } from "../lib/sender";
import { sessionOf } from "./session";

/** Agents' sessions, in a process of their own that `live-agents.ts` starts. */
export type LiveSessions = {
  project: { url: string; projectId: string; secret: string };
  sessions: number;
  everyMs: number;
  ms: number;
};
export type Sent = Paced & { bytes: number };

const CONNECTIONS = 16;
// In a session of its own, it does not get the signal that ends the benchmark in a terminal.
process.once("disconnect", () => process.exit());

const { project, sessions, everyMs, ms } = JSON.parse(process.argv[2] ?? "") as LiveSessions;
const { post, close } = senderTo(project, CONNECTIONS, "application/json");
const startMs = Date.now() - ms;
const next = Array.from({ length: sessions }, (_, number) => sessionOf(number + 1, "json", startMs));

let bytes = 0;
/** The sessions take turns, so each sends a span every `everyMs`. */
const sent = await atPace(
  { perSecond: (sessions * 1000) / everyMs, atOnce: CONNECTIONS, until: performance.now() + ms },
  async (nth) => {
    const span = next[nth % sessions]?.(Math.floor(nth / sessions));
    const body = Buffer.from(JSON.stringify(otlpJson(span ? [span] : [])));
    bytes += body.length;
    const status = await post(body);
    if (status !== 200) throw new Error(`a span was answered with ${status}`);
  },
);
close();
// A long message takes a while to send, so the process ends only once it has been written.
process.send?.({ ...sent, bytes } satisfies Sent, () => process.disconnect());
