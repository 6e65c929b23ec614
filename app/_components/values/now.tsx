"use client";
import { createContext, useContext, useEffect, useState } from "react";

const Now = createContext(0);

/** The page's clock: first the server's time, so that both render the same, then the browser's, every 30 seconds. */
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
