import type { WebhookFormat } from "@/server/services/connections";
import type { NoticeKind } from "./schemas";

/** What a message contains about a Finding: its title and figures, and no text of the conversations beyond the title. */
export type AnnouncedFinding = {
  id: string;
  title: string;
  ruleId: string;
  signal: string;
  severity: string;
  diagnosticScore: number;
  occurrenceCount: number;
  userCount: number;
  firstDetectedAt: number;
  lastDetectedAt: number;
};
export type Notice = { kind: NoticeKind; finding: AnnouncedFinding };
/** `link` returns the URL of a page. */
export type MessageContext = { projectId: string; projectName: string; link: (path: string) => string };

/** Maximum Findings listed in a digest. */
export const DIGEST_LISTED = 20;

const KIND_WORDS: Record<NoticeKind, string> = { new: "New", regressed: "Regressed", escalating: "Escalating" };

const findingUrl = ({ projectId, link }: MessageContext, id: string) => link(`p/${projectId}/findings/${id}`);
const findingsUrl = ({ projectId, link }: MessageContext) => link(`p/${projectId}/findings`);

/** `sequence`: the message's number among those of its connection; `count`: of its notices; `at`: Unix ms. */
type Sent = { sequence: number; count: number; at: number };

/** Returns the JSON of a signed webhook: one notice as `finding.<kind>`, several as `findings.digest`. */
export function signedMessage(context: MessageContext, notices: readonly Notice[], { sequence, count, at }: Sent) {
  const timestamp = new Date(at).toISOString();
  const findingOf = ({ finding }: Notice) => ({ ...finding, url: findingUrl(context, finding.id) });
  const project = { projectId: context.projectId, projectName: context.projectName };
  const [first] = notices;
  if (first && count === 1) {
    return { type: `finding.${first.kind}`, timestamp, sequence, data: { ...project, finding: findingOf(first) } };
  }
  return {
    type: "findings.digest",
    timestamp,
    sequence,
    data: {
      ...project,
      count,
      findings: notices.slice(0, DIGEST_LISTED).map((notice) => ({ event: notice.kind, ...findingOf(notice) })),
      url: findingsUrl(context),
    },
  };
}

/** Escapes Slack's three control characters; text between them would become a link or a mention. */
export const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const conversations = (count: number) => `${count} ${count === 1 ? "conversation" : "conversations"}`;

/** Returns the message for a Slack-compatible incoming webhook. */
export function slackMessage(context: MessageContext, notices: readonly Notice[], count: number) {
  const line = ({ kind, finding }: Notice) =>
    `*${KIND_WORDS[kind]}:* <${findingUrl(context, finding.id)}|${escaped(finding.title)}> · ${finding.severity} · ${conversations(finding.occurrenceCount)}`;
  const listed = notices.slice(0, DIGEST_LISTED);
  if (count === 1 && listed[0]) return { text: `${line(listed[0])} · ${escaped(context.projectName)}` };
  const more = count - listed.length;
  return {
    text: [
      `*${count} Finding updates in ${escaped(context.projectName)}*`,
      ...listed.map((notice) => `• ${line(notice)}`),
      ...(more > 0 ? [`<${findingsUrl(context)}|and ${more} more>`] : []),
    ].join("\n"),
  };
}

/** Returns a message's body, by the format of its webhook. */
export const MESSAGES: Record<
  WebhookFormat,
  (context: MessageContext, notices: readonly Notice[], sent: Sent) => object
> = {
  signed: signedMessage,
  slack: (context, notices, { count }) => slackMessage(context, notices, count),
};
