import { Manifest } from '../../../src/core/manifest/manifest';
import { findings, machine, volume } from '../../support/machines';

const CLAIMS = 'harvesterhci.io/volumeClaimTemplates';
const PATH = `metadata.annotations[${CLAIMS}]`;

/** A claim as the annotation holds it. */
const claim = (name: string, more: object = {}, spec: object = {}) => ({
  metadata: { name },
  spec: {
    accessModes: ['ReadWriteMany'],
    resources: { requests: { storage: '10Gi' } },
    volumeMode: 'Block',
    storageClassName: 'fast',
    ...spec,
  },
  ...more,
});

const withClaims = (...claims: object[]): Manifest =>
  machine('a', { annotations: { [CLAIMS]: JSON.stringify(claims) } });

/** All classes of a Harvester, which always has the first one. */
const CLASSES = ['harvester-longhorn', 'fast'].map((name): Manifest => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name },
  provisioner: 'driver.longhorn.io',
}));

function found(
  rule: string,
  now: Manifest,
  before: Manifest[],
  live: Manifest[],
  version = '1.9.0',
) {
  return findings([now], { version, before, live })
    .filter((finding) => finding.rule === rule)
    .map(({ level, path, message }) => `${level} ${path} ${message}`);
}

const BEFORE = withClaims(claim('a-a'));
const TARGET = volume('b');

test.each<[what: string, now: Manifest, live: Manifest[], message: string | undefined]>([
  [
    'to a claim of the same size',
    withClaims(claim('a-a', { targetVolume: 'b' })),
    [TARGET],
    undefined,
  ],
  [
    'to a smaller claim',
    withClaims(claim('a-a', { targetVolume: 'b' })),
    [volume('b', { resources: { requests: { storage: '5Gi' } } })],
    'must be a claim of at least 10Gi',
  ],
  [
    'to a claim that does not exist',
    withClaims(claim('a-a', { targetVolume: 'c' })),
    [TARGET],
    'must exist on dc1',
  ],
  [
    'of a claim that is not attached',
    withClaims(claim('a-z', { targetVolume: 'b' })),
    [TARGET],
    'needs the claim a-z among the volumes of the machine',
  ],
  [
    'of two claims',
    withClaims(claim('a-a', { targetVolume: 'b' }), claim('a-z', { targetVolume: 'c' })),
    [TARGET],
    'cannot be set for several claims',
  ],
])('judges the move of a volume %s', (_, now, live, message) => {
  expect(found('virtual-machine/target-volume', now, [BEFORE], live, '1.8.2')).toEqual(
    message === undefined ? [] : [expect.stringContaining(`error ${PATH} ${message}`)],
  );
  expect(found('virtual-machine/target-volume', now, [BEFORE], live, '1.7.2')).toEqual([]);
});

test('does not judge the move of a volume of a new machine, as the webhook does not', () => {
  const now = withClaims(claim('a-z', { targetVolume: 'b' }));
  expect(found('virtual-machine/target-volume', now, [], [TARGET])).toEqual([]);
});

const OTHER = withClaims(claim('a-a', {}, { storageClassName: 'none' }));
const BARE = machine('a', { annotations: { [CLAIMS]: '' } });

test.each<[what: string, before: Manifest[], version: string, level: string]>([
  ['the first claims of a live machine', [BARE], '1.9.0', 'error'],
  ['the first claims before the webhook compares them', [BARE], '1.8.2', 'warning'],
  ['a new machine', [], '1.9.0', 'warning'],
])('reports a StorageClass that does not exist of %s', (_, before, version, level) => {
  expect(found('virtual-machine/claim-class', OTHER, before, CLASSES, version)).toEqual([
    expect.stringMatching(`^${level} .*must exist on dc1`),
  ]);
});

test('takes a StorageClass that exists, and that of an image', () => {
  const ofImage = withClaims({
    ...claim('a-a', {}, { storageClassName: 'longhorn-ubuntu' }),
    metadata: { name: 'a-a', annotations: { 'harvesterhci.io/imageId': 'default/ubuntu' } },
  });
  expect(found('virtual-machine/claim-class', BEFORE, [BARE], CLASSES)).toEqual([]);
  expect(found('virtual-machine/claim-class', ofImage, [BARE], CLASSES)).toEqual([]);
});
