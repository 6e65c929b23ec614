import { useEffect, useRef, useState } from "react";
import { problemOf } from "@/app/_lib/problem";
import type { ChatMessage, Turn } from "./chat";
import { requestMessages } from "./chat";
import { readChunks } from "./read-chunks";
import { ServerEnded, useServer } from "./use-server";
import type { Target } from "./view";

export type Answer = Turn & {
  id: number;
  state: "waiting" | "streaming" | "done" | "stopped" | "failed";
  error: string | null;
  tokens: number | null;
  /** Durations from the request, sent once a server was ready, to the end of the answer and to its first text. */
  tookMs: number | null;
  firstMs: number | null;
};
type Settings = { system: string; temperature: number; maxTokens: number };

const messageOf = (error: unknown): string => {
  if (error instanceof ServerEnded) return [error.message, error.deployment.error?.hint].filter(Boolean).join(" ");
  if (error instanceof Error && !("data" in error)) return error.message;
  return problemOf(error).detail;
};

/** Returns the error of a refused call: a problem document, or an error in OpenAI's format. */
async function refusalOf(response: Response): Promise<Error> {
  const body = await response.json().catch(() => ({}));
  return new Error(String(body.detail ?? body.error?.message ?? `The server answered ${response.status}.`));
}

/** The state of one pane: its thread with a model, with each answer as it streams. */
export function usePane(projectId: string, target: Target | null) {
  const server = useServer(projectId, target);
  const [answers, setAnswers] = useState<readonly Answer[]>([]);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const busy = answers.some(({ state }) => state === "waiting" || state === "streaming");
  const change = (id: number, by: (answer: Answer) => Partial<Answer>) =>
    setAnswers((all) => all.map((one) => (one.id === id ? { ...one, ...by(one) } : one)));

  async function stream(id: number, messages: readonly ChatMessage[], settings: Settings, signal: AbortSignal) {
    const deploymentId = await server.ready(signal);
    const startedAt = performance.now();
    const response = await fetch(
      `/v1/projects/${encodeURIComponent(projectId)}/deployments/${encodeURIComponent(deploymentId)}/v1/chat/completions`,
      {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          messages,
          stream: true,
          stream_options: { include_usage: true },
          temperature: settings.temperature,
          max_tokens: settings.maxTokens,
        }),
        signal,
      },
    );
    if (!response.ok || response.body === null) throw await refusalOf(response);
    const since = () => performance.now() - startedAt;
    change(id, () => ({ state: "streaming" }));
    for await (const { text, tokens, error } of readChunks(textIn(response.body))) {
      if (error !== null) throw new Error(error);
      change(id, (answer) => ({
        content: answer.content + text,
        tokens: tokens ?? answer.tokens,
        firstMs: answer.firstMs ?? (text === "" ? null : since()),
      }));
    }
    change(id, () => ({ state: "done", tookMs: since() }));
  }

  return {
    server,
    answers,
    busy,
    async send(before: readonly ChatMessage[], prompt: string | null, settings: Settings) {
      running.current?.abort();
      const controller = new AbortController();
      running.current = controller;
      const id = Date.now();
      const thread = answers.filter(({ content, state }) => content !== "" && state !== "failed");
      const empty = { content: "", error: null, tokens: null, tookMs: null, firstMs: null };
      setAnswers((all) => [...all, { id, prompt, state: "waiting", ...empty }]);
      try {
        await stream(id, requestMessages(settings.system, before, thread, prompt), settings, controller.signal);
      } catch (error) {
        const stopped = controller.signal.aborted;
        change(id, () => ({ state: stopped ? "stopped" : "failed", error: stopped ? null : messageOf(error) }));
      }
    },
    stop: () => running.current?.abort(),
    clear() {
      running.current?.abort();
      setAnswers([]);
    },
  };
}

async function* textIn(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
