import type { Prompt } from "@/server/services/prompts/schemas";

export const KIND_WORDS: Record<Prompt["kind"], string> = { text: "Text", chat: "Chat" };

export const ROLE_WORDS = { system: "System", developer: "Developer", user: "User", assistant: "Assistant" } as const;

/** What clients get that follow no label, or `latest`. */
export const clientsOf = (label: string) =>
  label === "production" ? "Clients that read production, or name no label," : `Clients that read ${label}`;
