import { Duration } from 'cdk8s';
import { refusal, specOf } from '../cluster/_clusters';

const UNDRAINED = {
  deleteEmptyDirData: true,
  disableEviction: false,
  enabled: false,
  force: false,
  gracePeriod: -1,
  ignoreDaemonSets: true,
  skipWaitForDeleteTimeoutSeconds: 0,
  timeout: 120,
};

test("one node at a time, not drained, spelled out as in Rancher's UI", () => {
  expect(specOf().rkeConfig.upgradeStrategy).toEqual({
    controlPlaneConcurrency: '1',
    controlPlaneDrainOptions: UNDRAINED,
    workerConcurrency: '1',
    workerDrainOptions: UNDRAINED,
  });
});

test('who gives drain options wants a drain', () => {
  expect(
    specOf({ upgradeStrategy: { workerDrain: {} } }).rkeConfig.upgradeStrategy.workerDrainOptions,
  ).toEqual({ ...UNDRAINED, enabled: true });
});

test('writes all options', () => {
  const { upgradeStrategy } = specOf({
    upgradeStrategy: {
      controlPlaneConcurrency: '0',
      workerConcurrency: '25%',
      workerDrain: {
        enabled: true,
        force: true,
        ignoreDaemonSets: false,
        deleteEmptyDirData: false,
        disableEviction: true,
        gracePeriod: Duration.seconds(30),
        timeout: Duration.minutes(10),
        skipWaitForDeleteTimeout: Duration.seconds(60),
        preDrainHooks: ['example.com/before'],
        postDrainHooks: ['example.com/after'],
      },
    },
  }).rkeConfig;
  expect(upgradeStrategy).toEqual({
    controlPlaneConcurrency: '0',
    controlPlaneDrainOptions: UNDRAINED,
    workerConcurrency: '25%',
    workerDrainOptions: {
      deleteEmptyDirData: false,
      disableEviction: true,
      enabled: true,
      force: true,
      gracePeriod: 30,
      ignoreDaemonSets: false,
      postDrainHooks: [{ annotation: 'example.com/after' }],
      preDrainHooks: [{ annotation: 'example.com/before' }],
      skipWaitForDeleteTimeoutSeconds: 60,
      timeout: 600,
    },
  });
});

test('refuses numbers of nodes and seconds that are not whole', () => {
  const fix =
    'write a number such as "1", a percentage from "1%" to "100%", or "0" for all nodes at once';
  expect(
    refusal({
      upgradeStrategy: {
        controlPlaneConcurrency: '101%',
        workerConcurrency: '-1',
        workerDrain: { timeout: Duration.millis(1500) },
      },
    }).split('\n'),
  ).toEqual([
    `[rancher/shop] upgradeStrategy.controlPlaneConcurrency: must be a number or a percentage of nodes, got "101%" (the server: "concurrency must be a number or a percentage"). Fix: ${fix}`,
    `[rancher/shop] upgradeStrategy.workerConcurrency: must be a number or a percentage of nodes, got "-1" (the server: "concurrency must be a number or a percentage"). Fix: ${fix}`,
    '[rancher/shop] upgradeStrategy.workerDrain.timeout: must be whole seconds, got "1.5 seconds". Fix: round it',
  ]);
});
