import { readdirSync } from 'fs';
import { join } from 'path';
import { ApiObject, JsonPatch } from 'cdk8s';

import { JudgedObject } from '../../../src/core/rule/rule';
import { guestCluster } from '../../guest/cluster/clusters';
import { tempFolder } from '../../support/temp';

const EXAMPLES = join(__dirname, '..', '..', '..', 'examples');
const ROOT = join(__dirname, '..', '..', '..', 'src');

/* eslint-disable @typescript-eslint/no-require-imports */

/** The objects that a synthesis judged, with its rules. */
interface Run {
  readonly judged: readonly JudgedObject[];
  readonly judge: (judged: readonly JudgedObject[]) => unknown;
}

/** Runs a program in modules of its own. */
function runsOf(run: () => void): Run[] {
  const runs: Run[] = [];
  const stderr = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  jest.isolateModules(() => {
    const actual = jest.requireActual(join(ROOT, 'core/rule/judge-all'));
    jest.doMock(join(ROOT, 'core/rule/judge-all'), () => ({
      ...actual,
      judgeAll: (judged: readonly JudgedObject[], ...others: unknown[]) => {
        runs.push({ judged, judge: (objects) => actual.judgeAll(objects, ...others) });
        return actual.judgeAll(judged, ...others);
      },
    }));
    run();
  });
  jest.dontMock(join(ROOT, 'core/rule/judge-all'));
  stderr.mockRestore();
  return runs;
}

const examples = readdirSync(EXAMPLES, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(({ name }) => name);

function runExample(name: string): void {
  const [cwd, before] = [process.cwd(), process.env.CDK8S_OUTDIR];
  try {
    process.chdir(join(EXAMPLES, name));
    process.env.CDK8S_OUTDIR = tempFolder();
    require(join(EXAMPLES, name, 'main.ts'));
  } finally {
    process.chdir(cwd);
    if (before === undefined) { delete process.env.CDK8S_OUTDIR; } else { process.env.CDK8S_OUTDIR = before; }
  }
}

test.each<readonly [string, () => void]>([
  ['the platform of the benchmark', () => { require('../../../bench/platform').platformApp(5, tempFolder()).synth(); }],
  ...examples.map((name) => [`the example ${name}`, () => { runExample(name); }] as const),
])('has the same findings in %s when every check runs again', (_, run) => {
  const runs = runsOf(run);
  expect(runs.length).toBeGreaterThan(0);
  for (const { judged, judge } of runs) { expect(judge(judged.map((object) => ({ ...object, passed: undefined })))).toEqual(judge(judged)); }
});

test('carries the checks of a pool to its HarvesterConfig, and runs each once for machines that are alike', () => {
  const calls: { [check: string]: number } = {};
  const counted = (file: string): void => {
    const actual = jest.requireActual(join(ROOT, file)) as { readonly [name: string]: unknown };
    jest.doMock(join(ROOT, file), () => Object.fromEntries(Object.entries(actual).map(([name, value]) => [name, typeof value === 'function' && name.startsWith('check')
      ? (...args: unknown[]) => { calls[name] = (calls[name] ?? 0) + 1; return value(...args); } : value])));
  };
  const files = ['guest/machine-config/machine-config.check', 'guest/machine-config/machine-json.check'];
  jest.isolateModules(() => {
    files.forEach(counted);
    require('../../../bench/platform').platformApp(3, tempFolder()).synth();
  });
  files.forEach((file) => { jest.dontMock(join(ROOT, file)); });
  const once = { checkMachineNumbers: 1, checkMachineSwitches: 1, checkDisks: 1, checkInterfaces: 1, checkVgpus: 1 };
  expect(calls).toMatchObject(once);
});

const machineConfig = (change: (config: ApiObject) => void) => {
  const { app, cluster } = guestCluster();
  change(cluster.node.children.find((child): child is ApiObject => ApiObject.isApiObject(child) && child.kind === 'HarvesterConfig')!);
  return app.validate().filter(({ rule }) => rule.startsWith('machine-config/')).map(({ rule, path }) => `${rule} ${path}`);
};

test('judges a HarvesterConfig again that was patched after its checks', () => {
  expect(machineConfig(() => {})).toEqual([]);
  expect(machineConfig((config) => { config.addJsonPatch(JsonPatch.replace('/memorySize', '8Gi')); })).toEqual(['machine-config/numbers memorySize']);
  expect(machineConfig((config) => { config.addJsonPatch(JsonPatch.add('/diskInfo', '{"disks":[]}')); })).toEqual(['machine-config/disks diskInfo']);
  expect(machineConfig((config) => { config.addJsonPatch(JsonPatch.add('/imageName', 'vms/other')); })).toEqual(['machine-config/disks imageName']);
  expect(machineConfig((config) => { config.addJsonPatch(JsonPatch.remove('/diskInfo')); })).toEqual(['machine-config/disks diskInfo']);
});
