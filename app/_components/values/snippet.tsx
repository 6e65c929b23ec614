import { CopyButton } from "@/app/_components/controls/copy-button";
import { ScrollPre } from "@/app/_components/layout/scroll-pre";
import classes from "./snippet.module.css";

/** Lines of a program or a terminal, named for screen readers, and a button that copies them. */
export const Snippet = ({ name, text }: { name: string; text: string }) => (
  <>
    <ScrollPre label={`Snippet: ${name}`} className={classes.snippet}>
      {text}
    </ScrollPre>
    <div>
      <CopyButton value={text} label={`Copy ${name}`} withText />
    </div>
  </>
);
