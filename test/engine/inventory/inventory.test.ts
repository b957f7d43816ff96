import { gzipSync } from 'zlib';
import { appOf, memberSelector } from '../../../src/engine/fields/apply-set';
import {
  readInventory,
  removeInventory,
  writeInventory,
} from '../../../src/engine/inventory/inventory';
import { fake } from '../run/_running';

const APP = appOf();
const REF = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  namespace: 'kube-system',
  name: 'cdk8s-harvester-default',
};
const ENTRY = {
  id: 'dc1//ConfigMap/x/a',
  apiVersion: 'v1',
  kind: 'ConfigMap',
  namespace: 'x',
  name: 'a',
  uid: 'u',
  policy: 'delete' as const,
};

async function written() {
  const cluster = fake('u');
  await writeInventory(cluster, APP, { entries: [ENTRY], clusterUids: { dc1: 'u' } }, '1.2.3');
  return cluster;
}

test('reads what it wrote', async () => {
  const cluster = await written();
  expect(await readInventory(cluster, APP)).toEqual({
    uid: 'uid-1',
    entries: [ENTRY],
    clusterUids: { dc1: 'u' },
    labelSelector: memberSelector(APP),
  });
  expect(await readInventory(cluster, appOf('other'))).toBeUndefined();
  await removeInventory(cluster, APP);
  expect(await readInventory(cluster, APP)).toBeUndefined();
});

interface Parent {
  readonly metadata: { annotations: { [key: string]: string }; labels: { [key: string]: string } };
  readonly binaryData: { [key: string]: string };
}

test.each<[what: string, edit: (object: Parent) => void, says: string]>([
  [
    'a ConfigMap of another program',
    (object) => {
      object.metadata.annotations = {};
    },
    'kube-system/cdk8s-harvester-default: is not an inventory',
  ],
  [
    'the set of kubectl',
    (object) => {
      object.metadata.annotations['applyset.kubernetes.io/tooling'] = 'kubectl/v1.32.4';
    },
    'already exists and is managed by tooling "kubectl" instead of "cdk8s-harvester"',
  ],
  [
    'a copy of another set',
    (object) => {
      object.metadata.labels['applyset.kubernetes.io/id'] = 'applyset-x-v1';
    },
    'the ConfigMap was copied or changed',
  ],
  [
    'a list that cannot be read',
    (object) => {
      object.binaryData.inventory = 'AAAA';
    },
    'its list is damaged',
  ],
  [
    'a list of a newer version',
    (object) => {
      object.binaryData.inventory = gzipSync('{"schema":3}').toString('base64');
    },
    'schema must be 2, got 3',
  ],
  [
    'a damaged list',
    (object) => {
      object.binaryData.inventory = gzipSync('{"schema":2,"entries":[{"id":"x"}]}').toString(
        'base64',
      );
    },
    'its list is damaged',
  ],
])('refuses %s', async (_, edit, says) => {
  const cluster = await written();
  cluster.change(REF, edit);
  await expect(readInventory(cluster, APP)).rejects.toThrow(says);
});
