import { env } from "@/env";

/** Returns the address of a page of this installation, for e-mails and messages. `path` has no leading slash. */
export function publicUrl(path: string): string {
  const { PUBLIC_URL, HOST, PORT } = env();
  return `${PUBLIC_URL?.replace(/\/+$/, "") ?? `http://${HOST}:${PORT}`}/${path}`;
}
