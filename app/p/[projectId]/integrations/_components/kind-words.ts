import type { ConnectionKind } from "@/server/services/connections/schemas";

type Words = {
  label: string;
  /** One line about its purpose. */
  description: string;
  addressExample: string;
  secretLabel: string;
  secretHelp: string;
};

/** Each kind's name and its form's texts. */
export const KIND_WORDS: Record<ConnectionKind, Words> = {
  model: {
    label: "Model endpoint",
    description: "Models for Whetstone and your applications.",
    addressExample: "http://127.0.0.1:11434/v1",
    secretLabel: "API key",
    secretHelp: "A local model usually needs none.",
  },
  webhook: {
    label: "Webhook",
    description: "A URL that is notified of events.",
    addressExample: "https://example.com/hooks/whetstone",
    secretLabel: "Secret",
    secretHelp: "For signed JSON, the signing key. For Slack, the full address of the incoming webhook.",
  },
  github: {
    label: "GitHub",
    description: "Issues for Findings, in a repository.",
    addressExample: "https://github.example.com/api/v3",
    secretLabel: "Token",
    secretHelp: "A fine-grained token with write access to issues.",
  },
  gitlab: {
    label: "GitLab",
    description: "Issues for Findings, in a project.",
    addressExample: "https://gitlab.example.com/api/v4",
    secretLabel: "Token",
    secretHelp: "A personal, group or project token with the scope api.",
  },
  linear: {
    label: "Linear",
    description: "Issues for Findings, in a team.",
    addressExample: "https://api.linear.app",
    secretLabel: "API key",
    secretHelp: "A personal API key, lin_api_…",
  },
  jira: {
    label: "Jira",
    description: "Issues for Findings, in a project.",
    addressExample: "https://your-site.atlassian.net",
    secretLabel: "E-mail and API token",
    secretHelp: "As email:token. A self-hosted Jira takes a token alone.",
  },
  "model-hub": {
    label: "Model hub",
    description: "Where tuned models are published and gated base models are downloaded from, such as Hugging Face.",
    addressExample: "https://huggingface.co",
    secretLabel: "Token",
    secretHelp: "A token with write access; for downloads alone, one that may read.",
  },
};
