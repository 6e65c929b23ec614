"use client";
import { Tabs } from "@mantine/core";
import Link from "next/link";
import { PausedWebhooks } from "./paused-webhooks";

const TABS = [
  { value: "connections", label: "Connections", path: "" },
  { value: "notifications", label: "Notifications", path: "/notifications" },
  { value: "deliveries", label: "Deliveries", path: "/deliveries" },
  { value: "handoff-rules", label: "Handoff rules", path: "/handoff-rules" },
  { value: "tracker-deliveries", label: "Tracker deliveries", path: "/tracker-deliveries" },
] as const;

/** Links between the pages of Integrations, and what is paused on any of them. */
export const IntegrationTabs = ({ projectId, value }: { projectId: string; value: (typeof TABS)[number]["value"] }) => (
  <>
    <Tabs value={value}>
      <Tabs.List px="xs" aria-label="Integrations">
        {TABS.map(({ value: tab, label, path }) => (
          <Tabs.Tab
            key={tab}
            value={tab}
            renderRoot={(props) => <Link {...props} href={`/p/${encodeURIComponent(projectId)}/integrations${path}`} />}
          >
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
    </Tabs>
    <PausedWebhooks projectId={projectId} />
  </>
);
