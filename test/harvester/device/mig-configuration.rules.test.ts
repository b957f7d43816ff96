import { Manifest } from '../../../src/core/manifest/manifest';
import { judge } from '../../../src/core/rule/judge';
import { World } from '../../../src/core/rule/rule';
import { DEVICE_RULES } from '../../../src/harvester/device/device.rules';
import '../../../src/registry/register';

const target = { name: 'dc1', kind: 'harvester' } as const;

function configuration(enabled: boolean, requested: number, available?: number): Manifest {
  return {
    apiVersion: 'devices.harvesterhci.io/v1beta1',
    kind: 'MigConfiguration',
    metadata: { name: 'node1-000008000' },
    spec: { enabled, profileSpec: [{ id: 14, name: 'MIG 2g.10gb', requested }] },
    ...(available === undefined ? {} : { status: { profileStatus: [{ id: 14, available }] } }),
  };
}

const told = (after: Manifest, before: Manifest): string[] =>
  judge(
    DEVICE_RULES,
    new World([{ manifest: after, target }], [], [{ manifest: before, target }]),
  ).map(({ level, rule, path, message }) => `${level} ${rule} ${path} ${message}`);

test('refuses to enable more instances than the GPU offers', () => {
  expect(told(configuration(true, 4), configuration(false, 4, 3))).toEqual([
    'error mig-configuration/available spec.profileSpec[0].requested must be at most 3, which the GPU offers (the server: "which exceeds available count 3")',
  ]);
  expect(told(configuration(true, 3), configuration(false, 3, 3))).toEqual([]);
  expect(told(configuration(false, 4), configuration(false, 3, 3))).toEqual([]);
  expect(told(configuration(true, 4), configuration(false, 4))).toEqual([]);
});
