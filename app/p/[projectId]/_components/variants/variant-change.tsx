import { WordDiff } from "../../datasets/_components/diff/word-diff";
import classes from "./variants.module.css";

type Props = { basedOn: string | null; systemPrompt: string };

/** The change of a system prompt, with removed and added words marked. */
export function PromptChange({ basedOn, systemPrompt }: Props) {
  return (
    <section aria-label="Change of the system prompt">
      {basedOn === systemPrompt ? (
        <p className={classes.quiet}>The system prompt is as recorded.</p>
      ) : (
        <WordDiff before={basedOn ?? ""} after={systemPrompt} />
      )}
    </section>
  );
}
