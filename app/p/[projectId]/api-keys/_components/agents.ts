const json = (value: unknown) => JSON.stringify(value, null, 2);

/** How each coding agent is told of an MCP server that takes a key. */
export const AGENTS = [
  {
    name: "Claude Code",
    where: "Run in the folder of your application:",
    snippet: (url: string) =>
      `claude mcp add --transport http whetstone ${url} \\\n  --header "Authorization: Bearer $WHETSTONE_KEY"`,
  },
  {
    name: "VS Code",
    where: "In .vscode/mcp.json, which asks for the key once:",
    snippet: (url: string) =>
      json({
        servers: { whetstone: { type: "http", url, headers: { Authorization: `Bearer \${input:whetstone-key}` } } },
        inputs: [{ type: "promptString", id: "whetstone-key", description: "Whetstone API key", password: true }],
      }),
  },
  {
    name: "Cursor",
    where: "In .cursor/mcp.json:",
    snippet: (url: string) =>
      json({ mcpServers: { whetstone: { url, headers: { Authorization: `Bearer \${env:WHETSTONE_KEY}` } } } }),
  },
  {
    name: "Codex",
    where: "In ~/.codex/config.toml:",
    snippet: (url: string) =>
      `[mcp_servers.whetstone]\nurl = ${JSON.stringify(url)}\nbearer_token_env_var = "WHETSTONE_KEY"`,
  },
] as const;
