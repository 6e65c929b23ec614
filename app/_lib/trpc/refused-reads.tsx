"use client";
import { createContext, type ReactNode, useContext } from "react";

const Unsupported = createContext(false);

/** Tells a page's components that, while rendering it, the server refused a read that it does not support (501). */
export const UnsupportedReads = ({ any, children }: { any: boolean; children: ReactNode }) => (
  <Unsupported value={any}>{children}</Unsupported>
);

/** Returns whether the server refused one of the page's reads with a 501; failures are not dehydrated with the data. */
export const useUnsupportedReads = () => useContext(Unsupported);
