import { Manifest } from '../../../src/core/manifest/manifest';
import { JudgedTarget } from '../../../src/core/rule/rule';
import { guest } from '../../support/balancers';
import { judgePlaced } from '../../support/judging';

const claim = (mode: string, storageClassName: string | undefined = 'harvester'): Manifest => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'data', namespace: 'default' },
  spec: { accessModes: [mode], ...(storageClassName === '' ? {} : { storageClassName }) },
});
const guestClass = (
  name: string,
  parameters: object = {},
  provisioner = 'driver.harvesterhci.io',
  annotations = {},
): Manifest => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name, annotations },
  provisioner,
  parameters,
});
const setting = (name: string, value: string): Manifest => ({
  apiVersion: 'harvesterhci.io/v1beta1',
  kind: 'Setting',
  metadata: { name },
  value,
});
const hostClass = (migratable?: string): Manifest => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'rwx' },
  provisioner: 'driver.longhorn.io',
  parameters: migratable === undefined ? {} : { migratable },
});
const NETWORK = setting('storage-network', '{"vlan":101}');

function findings(
  shop: readonly Manifest[],
  dc1: readonly Manifest[],
  versions: { [target: string]: Partial<JudgedTarget> } = {},
): string[] {
  return judgePlaced(['guest/shared-volume'], { shop, dc1 }, { versions });
}

test('refuses volumes for several nodes where Harvester or the driver have none', () => {
  expect(
    findings([claim('ReadWriteMany')], [NETWORK], { dc1: { harvesterVersion: '1.3.2' } }),
  ).toEqual([
    'error guest/shared-volume data spec.accessModes: must be ReadWriteOnce, got "ReadWriteMany": ReadWriteMany volumes in guest clusters (CSI chart 0.1.20) needs Harvester 1.4.0 or later, got 1.3.2 ' +
      '(the server: "access mode MULTI_NODE_MULTI_WRITER is not supported"). Fix: use ReadWriteOnce, or upgrade',
  ]);
  expect(
    findings([claim('ReadWriteMany')], [NETWORK], {
      shop: { kubernetesVersion: 'v1.29.9+rke2r1' },
    }),
  ).toEqual([
    expect.stringContaining(
      'error guest/shared-volume data spec.accessModes: must be ReadWriteOnce',
    ),
  ]);
  expect(findings([claim('ReadOnlyMany')], [NETWORK])).toEqual([
    expect.stringContaining(
      '(the server: "access mode MULTI_NODE_READER_ONLY is not supported"). Fix: use ReadWriteMany',
    ),
  ]);
});

test('reports them without a storage network', () => {
  const text =
    'warning guest/shared-volume data spec.accessModes: needs a storage network on dc1, in which the machines have a network interface, got "ReadWriteMany": no setting ' +
    'storage-network is known. Fix: declare the setting, and a second network of the machines; or suppress this if Harvester has them';
  expect(findings([claim('ReadWriteMany')], [setting('storage-network', '')])).toEqual([text]);
  expect(
    findings(
      [
        claim('ReadWriteMany', ''),
        guestClass('own', {}, undefined, { 'storageclass.kubernetes.io/is-default-class': 'true' }),
      ],
      [hostClass()],
    ),
  ).toEqual([text]);
  expect(
    findings([claim('ReadWriteMany')], [setting('rwx-network', '{"share-storage-network":true}')]),
  ).toEqual([]);
});

test('reports a StorageClass whose volumes Longhorn does not share', () => {
  const shared = (migratable?: string): string[] =>
    findings(
      [claim('ReadWriteMany', 'shared'), guestClass('shared', { hostStorageClass: 'rwx' })],
      [NETWORK, hostClass(migratable)],
    );
  expect(shared('true')).toEqual([
    expect.stringContaining(
      'needs a StorageClass on dc1 without migratable "true", got "ReadWriteMany": Longhorn does not share volumes of rwx',
    ),
  ]);
  expect(shared('false')).toEqual([]);
  expect(shared()).toEqual([]);
});

test.each<[string, Manifest[]]>([
  ['ReadWriteOnce', [claim('ReadWriteOnce')]],
  ['another driver', [claim('ReadWriteMany', 'nfs'), guestClass('nfs', {}, 'nfs.csi.k8s.io')]],
  ['an unknown class', [claim('ReadWriteMany', 'other')]],
  ['an unknown default class', [claim('ReadWriteMany', '')]],
])('accepts %s', (_, shop) => {
  expect(findings(shop, [hostClass()])).toEqual([]);
});

test('reports them on machines in an overlay network', () => {
  const nad = (type: string): Manifest => ({
    apiVersion: 'k8s.cni.cncf.io/v1',
    kind: 'NetworkAttachmentDefinition',
    metadata: { name: 'vlan10', namespace: 'default' },
    spec: { config: JSON.stringify({ type }) },
  });
  const on = (type: string) =>
    judgePlaced(
      ['guest/shared-volume'],
      { rancher: guest(), shop: [claim('ReadWriteMany')], dc1: [NETWORK, nad(type)] },
      {
        versions: { dc1: { harvesterVersion: '1.9.0', managedAs: 'rancher/c-m-harvdc01' } },
      },
    );
  expect(on('kube-ovn')).toEqual([
    'warning guest/shared-volume data spec.accessModes: cannot be shared, got "ReadWriteMany": the network default/vlan10 of the machines is an overlay network, ' +
      'on which Harvester supports no ReadWriteMany volumes. Fix: use ReadWriteOnce, or a VLAN or untagged network as the first network of the machines',
  ]);
  expect(on('bridge')).toEqual([]);
});
