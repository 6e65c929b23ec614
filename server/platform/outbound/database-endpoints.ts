import { type DatabaseEndpoint, targetOf } from "./policy";

const POSTGRES_PORT = 5432;

/** Returns the endpoints of database URLs. Unix sockets are left out: HTTP cannot reach them. */
export function databaseEndpoints(urls: readonly (string | undefined)[]): DatabaseEndpoint[] {
  return urls.flatMap((text) => {
    if (text === undefined || !URL.canParse(text)) return [];
    const url = new URL(text);
    if (url.hostname === "") return [];
    return [{ host: targetOf(url).host.toLowerCase(), port: Number(url.port) || POSTGRES_PORT }];
  });
}
