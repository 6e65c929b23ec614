"use client";
import { type ReactNode, useEffect, useState } from "react";
import { type FoundArea, movedTo, search } from "../_lib/search";

type Props = {
  areas: readonly FoundArea[];
  /** Between the search and what it finds, until something is searched. */
  children: ReactNode;
};

/** All operations by area, narrowed by a search. Without its script it is the whole list, for the browser's own search. */
export function OperationIndex({ areas, children }: Props) {
  const [query, setQuery] = useState("");
  useEffect(() => setQuery(new URLSearchParams(window.location.search).get("q") ?? ""), []);
  useEffect(() => {
    const follow = () => {
      const target = movedTo(areas, decodeURIComponent(window.location.hash.slice(1)));
      if (target !== null) window.location.replace(target);
    };
    follow();
    window.addEventListener("hashchange", follow);
    return () => window.removeEventListener("hashchange", follow);
  }, [areas]);
  const found = search(areas, query);
  const count = found.reduce((sum, { operations }) => sum + operations.length, 0);
  const change = (text: string) => {
    setQuery(text);
    window.history.replaceState(null, "", text === "" ? "/docs" : `/docs?q=${encodeURIComponent(text)}`);
  };
  return (
    <>
      <search>
        <form action="/docs" className="docs-search" onSubmit={(event) => event.preventDefault()}>
          <input
            type="search"
            name="q"
            aria-label="Search operations"
            placeholder="Search operations by words, paths and fields"
            autoComplete="off"
            value={query}
            onChange={(event) => change(event.currentTarget.value)}
          />
          <span role="status" className="docs-quiet">
            {count} {count === 1 ? "operation" : "operations"}
          </span>
        </form>
      </search>
      {query.trim() === "" ? children : null}
      {count === 0 ? <p>No operation has all of these words.</p> : null}
      {found.map(({ name, slug, operations }) => (
        <section key={slug} aria-labelledby={`subject-${slug}`}>
          <h2 id={`subject-${slug}`}>
            <a href={`/docs/${slug}`}>{name}</a>
          </h2>
          <ul className="docs-index">
            {operations.map(({ id, method, path, summary }) => (
              <li key={id} id={id}>
                <a href={`/docs/${slug}#${id}`}>
                  <span className={`docs-method docs-${method}`}>{method}</span> <code>{path}</code>
                </a>
                <span className="docs-quiet">{summary.replaceAll("`", "")}</span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}
