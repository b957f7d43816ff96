import { Manifest } from '../../../src/core/manifest/manifest';
import { oneLine } from '../../../src/core/problem/problem';
import { judge } from '../../../src/core/rule/judge';
import { World } from '../../../src/core/rule/rule';
import { RESERVED_CLASS_RULES } from '../../../src/harvester/reserved-class/reserved-class.rules';
import '../../../src/registry/register';
import { claim, machine } from '../../support/machines';

// words-ok: the words of the server
const SAYS = 'can not create volume with the reserved storage class';

const volume = (name: string, storageClassName: string): Manifest => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace: 'default' },
  spec: { storageClassName, volumeMode: 'Block', accessModes: ['ReadWriteMany'] },
});
const image = (backend: string): Manifest => ({
  apiVersion: 'harvesterhci.io/v1beta1',
  kind: 'VirtualMachineImage',
  metadata: { name: backend, namespace: 'default' },
  spec: { backend, targetStorageClassName: 'longhorn-static' },
});
const WEB = machine('web', {
  annotations: {
    'harvesterhci.io/volumeClaimTemplates': JSON.stringify([
      claim('web-data', { storageClassName: 'longhorn-static' }),
    ]),
  },
});
const ALL = [
  volume('scratch', 'longhorn-static'),
  volume('state', 'vmstate-persistence'),
  WEB,
  volume('plain', 'harvester-longhorn'),
];

function told(manifests: readonly Manifest[], harvesterVersion?: string): string[] {
  const target = {
    name: 'dc1',
    kind: 'harvester',
    ...(harvesterVersion ? { harvesterVersion } : {}),
  } as const;
  return judge(
    RESERVED_CLASS_RULES,
    new World(manifests.map((manifest) => ({ manifest, target }))),
  ).map((finding) => `${finding.level} ${finding.object?.name} ${oneLine(finding)}`);
}

const levels = (lines: readonly string[]): string[] =>
  lines.map((line) => line.split(' ').slice(0, 2).join(' ')).sort();

test('refuses volumes with the StorageClasses that a version keeps for itself', () => {
  expect(levels(told(ALL, '1.7.2'))).toEqual(['error scratch', 'error web', 'warning state']);
  for (const version of ['1.8.2', '1.9.0']) {
    expect(levels(told(ALL, version))).toEqual(['error scratch', 'error state', 'error web']);
  }
  expect(told(ALL, '1.8.2').every((line) => line.includes(SAYS))).toBe(true);
});

test('warns where the version accepts them, and does not quote it', () => {
  const before = told(ALL, '1.6.1');
  expect(levels(before)).toEqual(['warning scratch', 'warning state', 'warning web']);
  expect(before.join()).not.toContain(SAYS);
  expect(levels(told(ALL))).toEqual(['warning scratch', 'warning state', 'warning web']);
});

test('refuses an image with such a class where CDI creates a volume for it', () => {
  expect(levels(told([image('cdi'), image('backingimage')], '1.8.2'))).toEqual([
    'error cdi',
    'warning backingimage',
  ]);
});

test('accepts a volume that KubeVirt owns', () => {
  const owned = volume('state', 'vmstate-persistence');
  const metadata = { ...owned.metadata, ownerReferences: [{ kind: 'VirtualMachine', name: 'a' }] };
  expect(told([{ ...owned, metadata }], '1.8.2')).toEqual([]);
});
