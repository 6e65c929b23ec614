import { IconMessage2, IconPencil, IconStar, IconThumbDown, IconThumbUp } from "@tabler/icons-react";
import { Ago } from "@/app/_components/values/ago";
import classes from "./feedback.module.css";
import { type FeedbackData, feedbackText, feedbackTitle } from "./feedback-words";

const ICONS = { score: IconStar, comment: IconMessage2, correction: IconPencil } as const;
const iconOf = ({ kind, value }: FeedbackData) =>
  kind === "thumb" ? (value === "up" ? IconThumbUp : IconThumbDown) : ICONS[kind];

/** What users said about an answer or a conversation; scores of automatic evaluations are marked as such. */
export function FeedbackList({ feedback }: { feedback: readonly FeedbackData[] }) {
  if (feedback.length === 0) return null;
  return (
    <ul className={classes.list} aria-label="Feedback">
      {feedback.map((one) => {
        const Icon = iconOf(one);
        const text = feedbackText(one);
        return (
          <li
            key={one.id}
            className={classes.item}
            data-down={(one.kind === "thumb" && one.value === "down") || undefined}
          >
            <Icon size={14} className={classes.icon} aria-hidden />
            <div className={classes.words}>
              <span className={classes.head}>
                <span className={classes.title}>{feedbackTitle(one)}</span>
                <span className={classes.quiet}>
                  {one.givenByUser ? "by the user" : "by an evaluation"} · <Ago at={one.givenAt} />
                </span>
              </span>
              {text === null ? null : <span className={classes.text}>{text}</span>}
            </div>
          </li>
        );
      })}
    </ul>
  );
}
