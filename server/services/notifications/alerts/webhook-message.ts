import type { WebhookFormat } from "@/server/services/connections";
import { escaped, type MessageContext } from "../message";
import { type AlertEvent, type AnnouncedAlert, alertPath, alertSentence } from "./alert-message";

/** `sequence`: the message's number among those of its connection; `at`: Unix ms. */
type Sent = { sequence: number; at: number };
type Compose = (context: MessageContext, alert: AnnouncedAlert, event: AlertEvent, sent: Sent) => object;

const EVENT_WORDS: Record<AlertEvent, string> = { fired: "Firing", cleared: "Cleared" };

const urlOf = ({ projectId, link }: MessageContext, { id }: AnnouncedAlert) => link(alertPath(projectId, id));

/** Returns the message about an alert, by the format of its webhook. */
export const ALERT_MESSAGES: Record<WebhookFormat, Compose> = {
  signed: (context, alert, event, { sequence, at }) => {
    const { id, name, measure, model, label, findingId, condition, firedAt, clearedAt, value, limitValue, count } =
      alert;
    return {
      type: `alert.${event}`,
      timestamp: new Date(at).toISOString(),
      sequence,
      data: {
        projectId: context.projectId,
        projectName: context.projectName,
        text: alertSentence(alert, event),
        alert: {
          id,
          name,
          measure,
          model,
          label,
          findingId,
          condition,
          firedAt,
          clearedAt,
          value,
          limitValue,
          count,
          url: urlOf(context, alert),
        },
      },
    };
  },
  slack: (context, alert, event) => ({
    text: `*${EVENT_WORDS[event]}:* <${urlOf(context, alert)}|${escaped(alert.name)}> · ${escaped(alertSentence(alert, event))} · ${escaped(context.projectName)}`,
  }),
};
