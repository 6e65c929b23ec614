type Click = Pick<MouseEvent, "button" | "altKey" | "ctrlKey" | "metaKey" | "shiftKey">;

/** Whether a click on a link means "here", and not in another tab or window. */
export const isPlainClick = ({ button, altKey, ctrlKey, metaKey, shiftKey }: Click) =>
  button === 0 && !altKey && !ctrlKey && !metaKey && !shiftKey;
