import { notifications } from "@mantine/notifications";
import {
  IconBook2,
  IconBooks,
  IconChartLine,
  IconKey,
  IconPlayerPause,
  IconPlayerPlay,
  IconUserPlus,
} from "@tabler/icons-react";
import { skipToken, useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { leavePage } from "@/app/_lib/leave-guard";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import { useMay } from "../access/membership";
import { useAutomaticDiagnosis } from "../diagnosis/use-automatic-diagnosis";
import { pageHref } from "./pages";

type Action = { label: string; icon: typeof IconKey; run: () => void };

/** Returns what a reader may do from anywhere. `open`: whether the palette is open, so that its state is worth loading. */
export function usePaletteActions(projectId: string, open: boolean): readonly Action[] {
  const router = useRouter();
  const trpc = useTRPC();
  const [mayAdminister, mayTrain, mayDiagnose] = [
    useMay("project:admin"),
    useMay("models:manage"),
    useMay("diagnostics:write"),
  ];
  // Not `enabled: false`: the idle query would replace the page's own, whose data the server would then not send.
  const settings = useQuery(trpc.diagnosticSettings.get.queryOptions(open && mayDiagnose ? { projectId } : skipToken));
  const update = useAutomaticDiagnosis();
  const go = (path: string) => () => leavePage(() => router.push(path));
  const isOn = settings.data?.settings.automaticSchedulingEnabled;
  const turn = (automaticSchedulingEnabled: boolean) => () =>
    update.mutate(
      { projectId, automaticSchedulingEnabled },
      {
        onSuccess: () =>
          notifications.show({ message: `Automatic diagnosis ${automaticSchedulingEnabled ? "resumed" : "paused"}.` }),
        onError: (error) => notifications.show({ color: "red", message: problemOf(error).detail }),
      },
    );
  const diagnosis: Action[] =
    isOn === undefined
      ? []
      : isOn
        ? [{ label: "Pause automatic diagnosis", icon: IconPlayerPause, run: turn(false) }]
        : [{ label: "Resume automatic diagnosis", icon: IconPlayerPlay, run: turn(true) }];
  return [
    ...(mayAdminister
      ? [
          { label: "Create an API key", icon: IconKey, run: go(`${pageHref(projectId, "api-keys")}?new=true`) },
          { label: "Invite a member", icon: IconUserPlus, run: go(`${pageHref(projectId, "members")}?new=true`) },
        ]
      : []),
    ...(mayTrain
      ? [
          { label: "Create a Dataset", icon: IconBooks, run: go(`${pageHref(projectId, "datasets")}?new=true`) },
          { label: "Train a model", icon: IconChartLine, run: go(`${pageHref(projectId, "training")}/new`) },
        ]
      : []),
    ...diagnosis,
    { label: "Open the API reference", icon: IconBook2, run: () => window.location.assign("/docs") },
  ];
}
