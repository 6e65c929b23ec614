"use client";
import { createContext, type ReactNode, useContext } from "react";

const Unsupported = createContext(false);

/** Tells the components of a page that the server, which rendered it, refused a read that the installation does not support (501). */
export const UnsupportedReads = ({ any, children }: { any: boolean; children: ReactNode }) => (
  <Unsupported value={any}>{children}</Unsupported>
);

/** Returns whether the server refused one of the page's reads with a 501: failures are not among the data that it passes on. */
export const useUnsupportedReads = () => useContext(Unsupported);
