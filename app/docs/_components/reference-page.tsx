import type { ReactNode } from "react";
import { type Area, anchorOf, areaHref } from "../_lib/by-area";
import "../docs.css";

type Props = { areas: readonly Area[]; current?: Area | "clients" | undefined; children: ReactNode };

/** A page of the reference beside the list of all areas, with the operations of the current one. */
export const ReferencePage = ({ areas, current, children }: Props) => (
  <div className="docs">
    <nav className="docs-nav" aria-label="Reference">
      <a className="docs-home" href="/">
        Whetstone
      </a>
      <a href="/docs" aria-current={current ? undefined : "page"}>
        API reference
      </a>
      <a href="/docs/clients" aria-current={current === "clients" ? "page" : undefined}>
        Clients
      </a>
      {current ? <SearchElsewhere /> : null}
      {areas.map((area) => (
        <div key={area.slug}>
          <a href={areaHref(area.slug)} aria-current={area === current ? "page" : undefined}>
            {area.name}
          </a>
          {area === current ? (
            <ul>
              {area.operations.map(({ method, path, operation }) => (
                <li key={operation.operationId}>
                  <a href={`#${anchorOf(operation)}`}>
                    <span className={`docs-method docs-${method}`}>{method}</span> {path.split("/").slice(-2).join("/")}
                  </a>
                </li>
              ))}
            </ul>
          ) : null}
        </div>
      ))}
      <a href="/docs#problems">Errors</a>
    </nav>
    <main className="docs-main">{children}</main>
  </div>
);

/** The overview has the index of the search. */
const SearchElsewhere = () => (
  <search>
    <form action="/docs" className="docs-search">
      <input type="search" name="q" aria-label="Search operations" placeholder="Search operations" autoComplete="off" />
    </form>
  </search>
);
