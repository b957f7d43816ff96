import { Manifest } from '../../../src/core/manifest/manifest';
import { machine, messages, told, volume } from '../../support/machines';

const IMAGE_ID = { 'harvesterhci.io/imageId': 'default/noble' };
const image = (backend: string): Manifest => ({
  apiVersion: 'harvesterhci.io/v1beta1',
  kind: 'VirtualMachineImage',
  metadata: { name: 'noble', namespace: 'default' },
  spec: { backend },
});

test('accepts a volume, and ignores claims of a guest cluster', () => {
  expect(told([volume('a'), volume('b', {}, IMAGE_ID)])).toEqual([]);
  expect(told([volume('a', { storageClassName: undefined }, IMAGE_ID)], { kind: 'guest' })).toEqual(
    [],
  );
});

test('warns of a volume that would remain empty instead of getting its image', () => {
  expect(told([volume('a', { storageClassName: undefined }, IMAGE_ID)])).toEqual([
    'warning volume/image spec.storageClassName',
  ]);
  expect(messages([volume('a', {}, IMAGE_ID), image('cdi')])[0]).toContain(
    'cannot be an image of the backend cdi',
  );
  expect(told([volume('a', {}, IMAGE_ID), image('backingimage')])).toEqual([]);
});

test('refuses changes of immutable fields', () => {
  const before = [volume('a')];
  const smaller = volume('a', { resources: { requests: { storage: '5Gi' } } });
  expect(messages([smaller], { before })[0]).toContain(
    // words-ok: the words of the server
    'field can not be less than status.capacity',
  );
  expect(
    told(
      [
        volume('a', {
          storageClassName: 'slow',
          volumeMode: 'Filesystem',
          accessModes: ['ReadWriteOnce'],
        }),
      ],
      { before },
    ),
  ).toEqual([
    'error volume/update spec.accessModes',
    'error volume/update spec.storageClassName',
    'error volume/update spec.volumeMode',
  ]);
  expect(told([volume('a', { resources: { requests: { storage: '20Gi' } } })], { before })).toEqual(
    [],
  );
  expect(told([volume('a', { storageClassName: undefined })], { before })).toEqual([
    'error volume/update spec.storageClassName',
  ]);
});

test('warns of deleting a volume, and refuses it while a VM uses the volume', () => {
  expect(told([], { before: [volume('a')] })).toEqual(['warning volume/deletion']);
  expect(messages([machine('web')], { before: [machine('web'), volume('web-a')] })).toEqual([
    expect.stringContaining(
      // words-ok: the words of the server
      'can not delete the volume web-a which is currently attached to VM: default/web',
    ),
  ]);
});
