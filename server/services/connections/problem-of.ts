import type { OutboundError } from "@/server/platform/outbound";
import type { Kind } from "./kinds/kind";

/** Returns what the user can do about a failed call. Contains nothing from the other side's response. */
export function problemOf(error: OutboundError, { label, addressHint }: Kind): string {
  if (error.status === 401) return `${capital(label)} refused the secret (401). Enter a current one.`;
  if (error.status === 403)
    return `${capital(label)} accepts the secret but does not let it do this (403). Check its permissions.`;
  if (error.status === 404) return `There is no ${label} API at this address (404). ${addressHint}`;
  if (error.reason === "unreadable") return `The reply is not from ${label}. ${addressHint}`;
  return error.message;
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
