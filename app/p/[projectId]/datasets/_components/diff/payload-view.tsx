"use client";
import { MessageText } from "../../../conversations/[conversationId]/_components/transcript/message-text";
import classes from "./diff.module.css";
import { readableParts } from "./readable";

/** A read-only payload: its messages, calls and answers as labelled blocks of text. */
export const PayloadView = ({ payload }: { payload: unknown }) => (
  <div className={classes.parts}>
    {readableParts(payload).map(({ label, text }) => (
      <section key={label} aria-label={label}>
        <h3 className={classes.label}>{label}</h3>
        <div className={classes.text} dir="auto">
          <MessageText text={text === "" ? "Empty" : text} />
        </div>
      </section>
    ))}
  </div>
);
