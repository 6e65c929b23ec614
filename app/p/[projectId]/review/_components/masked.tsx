import classes from "./review.module.css";

/** What collection puts in the place of personal data and secrets, such as `<EMAIL_1>`. */
const PLACEHOLDER = /(<[A-Z][A-Z_]*_\d+>)/;

/** Text with its placeholders set apart. */
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
