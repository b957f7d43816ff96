import { Manifest } from '../../../src/core/manifest/manifest';
import { World } from '../../../src/core/rule/rule';
import { impactOf } from '../../../src/report/impact/cluster-impacts';
import { stuckImpacts } from '../../../src/report/impact/edit-impacts';
import { Impact, ImpactSide, mayLoseMachines } from '../../../src/report/impact/impact';
import { impactSummary } from '../../../src/report/impact/print-impact';
import { guest, machineConfig, pool } from '../../support/guest';
import { HARVESTER, RANCHER, tenant } from '../../support/tenancy';

const quota = (limit: object): Manifest =>
  tenant('vms', undefined, { 'field.cattle.io/resourceQuota': JSON.stringify({ limit }) });

/** What an edit of the memory gets stuck for, with a quota of CPUs. */
function stuck(
  limitsCpu: string,
  rollingUpdate: object = {},
  limitBefore = limitsCpu,
  memory = '8',
): Impact[] {
  const objects = (limit: string, memorySize: string) => [
    { target: HARVESTER, manifest: quota({ limitsCpu: limit }) },
    { target: RANCHER, manifest: machineConfig({ vmNamespace: 'vms', cpuCount: '2', memorySize }) },
    { target: RANCHER, manifest: guest({ machinePools: [pool({ rollingUpdate })] }) },
  ];
  const [before, after] = [objects(limitBefore, '4'), objects(limitsCpu, memory)];
  return stuckImpacts(
    impactOf({ before: new ImpactSide(before), after: new ImpactSide(after) }),
    new World(before),
    new World(after),
  );
}

test('an update is stuck where a quota has no room for maxSurge machines, before the edit too', () => {
  const [impact, ...others] = stuck('7');
  expect(others).toEqual([]);
  expect(impact).toMatchObject({
    effect: 'stuck',
    cluster: 'fleet-default/shop',
    pool: 'all',
    causes: [
      {
        object: 'Namespace vms on dc1',
        path: 'limitsCpu',
        remark: 'is 7, and 8.06 are needed with 1 more machine',
      },
    ],
  });
  expect(mayLoseMachines(impact)).toBe(true);
  expect(impactSummary([impact])).toBe('1 update without room');
  expect(stuck('9', { maxSurge: 2 })).toMatchObject([
    { causes: [{ remark: 'is 9, and 10.075 are needed with 2 more machines' }] },
  ]);
  // too little for the machines themselves, as before
  expect(stuck('5')).toMatchObject([{ effect: 'stuck' }]);
});

test.each([
  ['has room', '9', {}],
  ['deletes machines first', '7', { maxSurge: 0, maxUnavailable: 1 }],
  ['may delete a machine before another one is ready', '7', { maxSurge: 1, maxUnavailable: '34%' }],
])('an update that %s is not', (_, limit, rollingUpdate) => {
  expect(stuck(limit, rollingUpdate)).toEqual([]);
});

test('an edit that replaces nothing is not, and what newly does not fit is refused', () => {
  expect(stuck('7', {}, '7', '4')).toEqual([]);
  expect(stuck('5', {}, '9')).toEqual([]);
});
