import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from "@modelcontextprotocol/client";
import { Client as FormerClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FormerTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const ME = { name: "test", version: "1" };

/** The result of a tool, as text. */
export type Answer = { text: string; isError: boolean };
export type TestClient = {
  revision: string | undefined;
  list: () => Promise<readonly { name: string }[]>;
  call: (name: string, input?: Record<string, unknown>) => Promise<Answer>;
};

type Result = { isError?: boolean | undefined; content?: unknown };
const answerOf = ({ isError, content }: Result): Answer => ({
  text: (content as { text: string }[]).map(({ text }) => text).join("\n"),
  isError: isError ?? false,
});

/** For tests: the official client of the protocol's newest revision, which has no sessions. */
export async function modernClient(url: string, key: string): Promise<TestClient> {
  const client = new ModernClient(ME, { versionNegotiation: { mode: "auto" } });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new ModernTransport(new URL(url), { requestInit }));
  return {
    revision: client.getNegotiatedProtocolVersion(),
    list: async () => (await client.listTools()).tools,
    call: async (name, given = {}) => answerOf(await client.callTool({ name, arguments: given })),
  };
}

/** For tests: the official client that most hosts have, which begins with `initialize`. */
export async function formerClient(url: string, key: string): Promise<TestClient> {
  const client = new FormerClient(ME);
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  const transport = new FormerTransport(new URL(url), { requestInit });
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  return {
    revision: transport.protocolVersion,
    list: async () => (await client.listTools()).tools,
    call: async (name, given = {}) => answerOf((await client.callTool({ name, arguments: given })) as Result),
  };
}
