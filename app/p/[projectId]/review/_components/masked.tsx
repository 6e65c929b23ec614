import classes from "./review.module.css";

/** The placeholders that collection substitutes for personal data and secrets, such as `<EMAIL_1>`. */
const PLACEHOLDER = /(<[A-Z][A-Z_]*_\d+>)/;

/** Text with its placeholders highlighted. */
export const Masked = ({ text }: { text: string }) =>
  text.split(PLACEHOLDER).map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text keep their order
      <span key={index} className={classes.masked} title="Personal data, masked">
        {part}
      </span>
    ) : (
      part
    ),
  );
