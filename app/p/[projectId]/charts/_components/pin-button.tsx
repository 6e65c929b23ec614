import { Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconPin, IconPinnedFilled } from "@tabler/icons-react";
import { useState } from "react";
import { problemOf } from "@/app/_lib/problem";
import { PINNED_CHARTS_MAX, VIEW_NAME_CHARACTERS } from "@/server/services/saved-views/schemas";
import { useMay } from "../../_components/access/membership";
import { usePinnedCharts } from "../../_components/saved-views/use-pinned-charts";
import { useSavedViews } from "../../_components/saved-views/use-saved-views";
import { ViewDialog } from "../../_components/saved-views/view-dialog";
import { currentForm, queryOf } from "../../_components/saved-views/view-query";
import { type View, viewParsers } from "./view";

/** Pins the chart to the reader's Home, or takes it off; a chart that is not saved is saved first, under a name. */
export function PinButton({ projectId, view, title }: { projectId: string; view: View; title: string }) {
  const { views, create } = useSavedViews(projectId, "charts");
  const { pinned, update } = usePinnedCharts(projectId);
  const mayShare = useMay("diagnostics:write");
  const [asking, setAsking] = useState(false);
  const query = queryOf(viewParsers, view);
  const saved = (views.data?.savedViews ?? []).filter((one) => currentForm(viewParsers, one.query) === query);
  const ids = (pinned.data?.savedViews ?? []).map(({ id }) => id);
  const own = saved.find(({ id }) => ids.includes(id));
  const say = (message: string) => notifications.show({ message });
  const set = (savedViewIds: string[], done: string) =>
    update.mutate(
      { projectId, savedViewIds },
      {
        onSuccess: () => say(done),
        onError: (error) => notifications.show({ color: "red", message: problemOf(error).title }),
      },
    );
  const pin = ({ id, name }: { id: string; name: string }) => set([...ids, id], `Pinned “${name}” to your Home`);
  const press = () => {
    if (own)
      set(
        ids.filter((id) => id !== own.id),
        `Took “${own.name}” off your Home`,
      );
    else if (ids.length >= PINNED_CHARTS_MAX) say(`Your Home has ${PINNED_CHARTS_MAX} charts. Take one off first.`);
    else if (saved[0]) pin(saved[0]);
    else setAsking(true);
  };
  const close = () => {
    setAsking(false);
    create.reset();
  };
  const Icon = own ? IconPinnedFilled : IconPin;
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon size={14} aria-hidden />}
        aria-pressed={own !== undefined}
        loading={update.isPending}
        disabled={!views.data || !pinned.data}
        onClick={press}
      >
        Pin to Home
      </Button>
      <ViewDialog
        opened={asking}
        title="Pin to Home"
        action="Save and pin"
        values={{ name: title.slice(0, VIEW_NAME_CHARACTERS), shared: false }}
        query={query}
        mayShare={mayShare}
        saving={create.isPending}
        error={create.error}
        onSave={(values) =>
          create.mutate(
            { projectId, list: "charts", query, ...values },
            {
              onSuccess: ({ savedView }) => {
                close();
                pin(savedView);
              },
            },
          )
        }
        onClose={close}
      />
    </>
  );
}
