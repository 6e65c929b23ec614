const ROLES: Record<string, string> = {
  user: "User",
  assistant: "Assistant",
  system: "System",
  tool: "Tool",
  developer: "Developer",
};

/** Returns who says a message. The user of an inner agent is the agent or tool that it works for. */
export function speakerOf({ role, agent }: { role: string; agent: string | null }): string {
  if (agent === null) return ROLES[role] ?? role;
  return role === "user" ? `To ${agent}` : role === "assistant" ? agent : (ROLES[role] ?? role);
}
