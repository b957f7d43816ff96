import { Manifest, isManifest, isRecord } from '../../../src/core/manifest/manifest';
import { judge } from '../../../src/core/rule/judge';
import { JudgedObject, World } from '../../../src/core/rule/rule';
import { RULES, claim, machine, schedule, volume } from '../../support/machines';

// String() of the last one throws
const JUNK: readonly unknown[] = ['hello', '', '${late:x}', 5, -1, true, null, [], ['a', null], {}, [{ toString: 1, valueOf: 1 }]];
const CLAIMS = 'harvesterhci.io/volumeClaimTemplates';

const GOOD: readonly Manifest[] = [
  machine('a', {
    annotations: { [CLAIMS]: JSON.stringify([claim('a-a', { imageId: 'default/noble', storageClassName: 'x' })]), 'harvesterhci.io/reservedMemory': '1Mi', 'harvesterhci.io/removedPersistentVolumeClaims': 'a-a' },
    labels: { 'guestcluster.harvesterhci.io/name': 'orders', 'harvesterhci.io/maintain-mode-strategy': 'Migrate' },
    domain: { firmware: { bootloader: { efi: { secureBoot: true } } }, features: { smm: { enabled: true } }, memory: { guest: '1Gi' } },
    instance: {
      terminationGracePeriodSeconds: 1, volumes: [{ name: 'a', persistentVolumeClaim: { claimName: 'a-a' } }, { name: 'c', cloudInitNoCloud: { secretRef: { name: 's' }, userData: 'x' } }],
    },
  }),
  { apiVersion: 'harvesterhci.io/v1beta1', kind: 'VirtualMachineImage', metadata: { name: 'noble', namespace: 'default' }, spec: { backend: 'cdi' }, status: { storageClassName: 'y' } },
  { apiVersion: 'k8s.cni.cncf.io/v1', kind: 'NetworkAttachmentDefinition', metadata: { name: 'prod', namespace: 'default', labels: { 'network.harvesterhci.io/clusternetwork': 'mgmt' } }, spec: {} },
  { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'default' }, data: { userdata: '' } },
  { apiVersion: 'harvesterhci.io/v1beta1', kind: 'Setting', metadata: { name: 'backup-target' }, value: '' },
  schedule('b', { vmbackup: { type: 'backup', source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'a' } } }),
  volume('c', {}, { 'harvesterhci.io/imageId': 'default/noble' }),
];

/** Every form of a value in which one part is junk. */
function* broken(value: unknown, junk: unknown): Iterable<unknown> {
  yield junk;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      for (const other of broken(item, junk)) { yield value.map((own, place) => (place === index ? other : own)); }
    }
  } else if (isRecord(value)) {
    for (const [key, item] of Object.entries(value)) {
      for (const other of broken(item, junk)) { yield { ...value, [key]: other }; }
    }
  }
}

const on = (manifests: readonly Manifest[]): JudgedObject[] => manifests.map((manifest) => ({ manifest, target: { name: 'dc1', kind: 'harvester' } }));

test.each(JUNK.map((junk) => [JSON.stringify(junk) ?? 'undefined', junk]))('no rule throws where a part is %s', (_, junk) => {
  for (const [index, good] of GOOD.entries()) {
    for (const bad of broken(good, junk)) {
      // other metadata is left out by what reads it
      if (!isManifest(bad) || typeof (bad.metadata.namespace ?? '') !== 'string') { continue; }
      const all = GOOD.map((manifest, place) => (place === index ? bad : manifest));
      expect(() => judge(RULES, new World(on(all), [], on(GOOD)))).not.toThrow();
      expect(() => judge(RULES, new World(on(GOOD), on([bad]), on(all)))).not.toThrow();
      expect(() => judge(RULES, new World([], [], on(all)))).not.toThrow();
    }
  }
});

test.each(JUNK.map((junk) => [JSON.stringify(junk) ?? 'undefined', junk]))('no rule throws where a part of the claims is %s', (_, junk) => {
  const own = [claim('a-a', { imageId: 'default/noble', storageClassName: 'x' })];
  for (const bad of broken(own, junk)) {
    const manifest = machine('a', { annotations: { [CLAIMS]: JSON.stringify(bad) } });
    expect(() => judge(RULES, new World(on([manifest, ...GOOD.slice(1)]), [], on(GOOD)))).not.toThrow();
  }
});
