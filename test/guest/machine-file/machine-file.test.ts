import { SecretValue } from '../../../src/core/value/secret-value';
import {
  MachineFile,
  MachineFileSource,
  MachineSelector,
} from '../../../src/guest/machine-file/machine-file';
import { LabelOperator } from '../../../src/harvester/affinity/vm-affinity';
import { assemblyOf as assembly, written } from '../../support/written';
import { customCluster, refusal } from '../cluster/_clusters';

const base64 = (text: string) => Buffer.from(text).toString('base64');

function rendered(
  machineFiles: MachineFile[],
  machineSelectors: MachineSelector[] = [],
): Record<string, any> {
  return written(customCluster({ machineFiles, machineSelectors }).app);
}

test('a text becomes a ConfigMap, a secret a Secret, both for this cluster alone', () => {
  const objects = rendered([
    {
      machines: { matchLabels: { 'rke.cattle.io/control-plane-role': 'true' } },
      sources: [
        MachineFileSource.text('/etc/motd', 'hello\n', { permissions: '0644', dynamic: true }),
        MachineFileSource.secret('/etc/rancher/key', SecretValue.unsafePlainText('s3cret')),
      ],
    },
  ]);
  const [motd, key] = ['shop-file-etc-motd-a5017c', 'shop-file-etc-rancher-key-5bfd10'];
  const annotations = { 'rke.cattle.io/object-authorized-for-clusters': 'shop' };
  expect(Object.keys(objects).sort()).toEqual([
    'rancher/Cluster/shop',
    `rancher/ConfigMap/${motd}`,
    `rancher/Secret/${key}`,
  ]);
  expect(objects[`rancher/ConfigMap/${motd}`]).toEqual({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: motd, namespace: 'fleet-default', annotations },
    data: { content: 'hello\n' },
  });
  expect(objects[`rancher/Secret/${key}`]).toEqual({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: key, namespace: 'fleet-default', annotations },
    type: 'Opaque',
    data: { content: base64('s3cret') },
  });
  expect(objects['rancher/Cluster/shop'].spec.rkeConfig.machineSelectorFiles).toEqual([
    {
      machineLabelSelector: { matchLabels: { 'rke.cattle.io/control-plane-role': 'true' } },
      fileSources: [
        {
          configMap: {
            name: motd,
            items: [{ key: 'content', path: '/etc/motd', permissions: '0644', dynamic: true }],
          },
        },
        { secret: { name: key, items: [{ key: 'content', path: '/etc/rancher/key' }] } },
      ],
    },
  ]);
});

test('objects that are there are named, with their keys', () => {
  const objects = rendered([
    {
      sources: [
        MachineFileSource.fromSecretName({
          name: 'theirs',
          items: [{ key: 'a', path: '/etc/a', hash: 'x=' }],
          defaultPermissions: '0600',
        }),
        MachineFileSource.fromConfigMapName({ name: 'map', items: [{ key: 'b', path: '/etc/b' }] }),
      ],
    },
  ]);
  expect(objects['rancher/Cluster/shop'].spec.rkeConfig.machineSelectorFiles).toEqual([
    {
      fileSources: [
        {
          secret: {
            name: 'theirs',
            defaultPermissions: '0600',
            items: [{ key: 'a', path: '/etc/a', hash: 'x=' }],
          },
        },
        { configMap: { name: 'map', items: [{ key: 'b', path: '/etc/b' }] } },
      ],
    },
  ]);
});

test('one path may have another file for other machines', () => {
  const source = (text: string) => ({ sources: [MachineFileSource.text('/etc/motd', text)] });
  const objects = rendered([source('a'), source('b')]);
  expect(Object.keys(objects).filter((key) => key.includes('ConfigMap'))).toEqual([
    'rancher/ConfigMap/shop-file-etc-motd-a5017c',
    'rancher/ConfigMap/shop-file-etc-motd-a5017c-2',
  ]);
});

test('the Cluster waits for the files', () => {
  const { app } = customCluster({
    machineFiles: [{ sources: [MachineFileSource.text('/etc/motd', 'a')] }],
  });
  app.synth();
  expect(assembly(app).edges).toContainEqual({
    from: 'rancher/provisioning.cattle.io/Cluster/fleet-default/shop',
    to: 'rancher//ConfigMap/fleet-default/shop-file-etc-motd-a5017c',
    type: 'applied',
  });
});

test('the configuration of some machines comes after that of all', () => {
  const objects = rendered(
    [],
    [
      {
        machines: {
          matchExpressions: [
            {
              key: 'rke.cattle.io/rke-machine-pool-name',
              operator: LabelOperator.IN,
              values: ['gpu'],
            },
          ],
        },
        config: { 'kubelet-arg': ['max-pods=50'] },
      },
    ],
  );
  expect(objects['rancher/Cluster/shop'].spec.rkeConfig.machineSelectorConfig).toEqual([
    { config: { 'protect-kernel-defaults': false } },
    {
      machineLabelSelector: {
        matchExpressions: [
          { key: 'rke.cattle.io/rke-machine-pool-name', operator: 'In', values: ['gpu'] },
        ],
      },
      config: { 'kubelet-arg': ['max-pods=50'] },
    },
  ]);
});

test('paths, permissions, selectors and values are judged, all at once', () => {
  expect(
    refusal({
      machineFiles: [
        {
          machines: {
            matchExpressions: [{ key: 'a', operator: LabelOperator.EXISTS, values: ['b'] }],
          },
          sources: [
            MachineFileSource.text('etc/motd', 'a', { permissions: 'rw' }),
            MachineFileSource.fromSecretName({ name: 'a', items: [], defaultPermissions: '9999' }),
          ],
        },
      ],
      machineSelectors: [{ config: { debug: 1 } }],
    }).split('\n'),
  ).toEqual([
    '[rancher/shop] machineSelectors[0].config[debug]: must be a string, a boolean or a list, got 1: Rancher drops numbers silently. Fix: write it in quotes: "1"',
    '[rancher/shop] machineFiles[0].machines.matchExpressions[0].values: Exists takes no values ' +
      "(the server: \"may not be specified when `operator` is 'Exists' or 'DoesNotExist'\"). Fix: leave the values out, or use In or NotIn",
    '[rancher/shop] machineFiles[0].sources[0].path: must be an absolute path, got "etc/motd". Fix: start it with a slash',
    '[rancher/shop] machineFiles[0].sources[0].permissions: must be permissions in octal, got "rw". Fix: write them as a string, e.g. 0600',
    '[rancher/shop] machineFiles[0].sources[1].defaultPermissions: must be permissions in octal, got "9999". Fix: write them as a string, e.g. 0600',
    '[rancher/shop] machineFiles[0].sources[1].items: must have at least one item. Fix: add a key and the path of its file',
  ]);
});

test('files need Rancher 2.7.2', () => {
  expect(
    refusal({ machineFiles: [{ sources: [MachineFileSource.text('/etc/a', 'b')] }] }, '2.7.1'),
  ).toContain(
    '[rancher/shop] machineFiles: machineSelectorFiles needs Rancher 2.7.2 or later, got 2.7.1. Fix: remove it, or declare a newer Rancher',
  );
});
