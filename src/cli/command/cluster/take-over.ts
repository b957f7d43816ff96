import { takeOver, TakeOverPlan, TakeOverResult } from '../../../commands';
import { Block, BLANK, line, list, toned, withTexts } from '../../../core/text/screen';
import { ScreenFlags } from '../../../core/text/terminal';
import { TAKE_OVER_FILE } from '../../../engine/auth/take-over';
import { countText } from '../../../engine/plan/plan';
import { planBlocks } from '../../../engine/plan/render-plan';
import { runOnClusters, TargetFlags } from '../../option/run-options';
import { EXIT, printErrorBlocks } from '../../terminal/process';
import { ProgressFormat } from '../../terminal/progress';

/** The options of `adopt --take-over`. */
export interface TakeOverFlags
  extends Omit<TargetFlags, 'acceptNewCluster'>, Pick<ScreenFlags, 'color'> {
  readonly app: string;
  readonly output: ProgressFormat;
}

/** The options of other writing commands that it does not have. */
const NONE = {
  concurrency: '8',
  formerInventory: [],
  forceConflicts: [],
  acceptInUse: [],
  removeFinalizer: [],
  acceptNewCluster: [],
  preflight: true,
} as const;

/** Carries out a take-over file, and plans without it. Returns the exit code. */
export async function runTakeOver(
  path: string,
  file: string,
  { app, output, color, ...bind }: TakeOverFlags,
): Promise<number> {
  let next: TakeOverResult['next'];
  const exitCode = await runOnClusters(
    { ...NONE, ...bind, app, output, color },
    async (options) => {
      const result = await takeOver(path, file, {
        ...options,
        onPlan: (plan) => {
          // stdout has the events alone
          printErrorBlocks(withTexts(takenBlocks(plan), plan.scrub), { color });
        },
      });
      next = result.next;
      return result.summary;
    },
  );
  if (next === undefined) {
    return exitCode;
  }
  if (next.outcome !== 'nothing') {
    printErrorBlocks(withTexts([...planBlocks(next.plan)], next.scrub), { color });
    return EXIT.FOUND;
  }
  printErrorBlocks(
    [
      line(
        `the next plan has no change, and needs no option: delete ${TAKE_OVER_FILE}, and takeOver in cdk8s-harvester.yaml`,
      ),
    ],
    { color },
  );
  return exitCode;
}

/** What is adopted, object by object. */
function takenBlocks({ adopted, settled, plan }: TakeOverPlan): readonly Block[] {
  return [
    line([toned('title', 'Adopt'), `: ${countText(plan.steps)}`]),
    list(
      adopted.map(({ id, because }) => [line([toned('change', `~ ${id}`)], 2), line(because, 4)]),
      'objects',
    ),
    ...(settled.length === 0
      ? []
      : [
          line('Adopted before', 2),
          list(
            settled.map((id) => line(id, 4)),
            'objects',
          ),
        ]),
    BLANK,
  ];
}
