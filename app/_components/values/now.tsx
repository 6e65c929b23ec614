"use client";
import { createContext, useContext, useEffect, useState } from "react";

const Now = createContext(0);

/** One clock for the page: the server's at first, so both paint the same, then the browser's, each half minute. */
export function NowProvider({ initial, children }: { initial: number; children: React.ReactNode }) {
  const [now, setNow] = useState(initial);
  useEffect(() => {
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  return <Now value={now}>{children}</Now>;
}

export const useNow = () => useContext(Now);
